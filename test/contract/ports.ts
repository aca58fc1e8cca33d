// Where simulated devices listen in tests.

/** Unprivileged ports, so that an ordinary user can run it. */
export const PORTS = { 80: 18_080, 4028: 14_028, 4433: 14_433, 8080: 18_088 };

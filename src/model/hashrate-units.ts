// The units that a hashrate is shown in, largest first. Pure; how a number is written is a matter of where it is shown.

/** H/s of one unit, and its name. */
export const HASHRATE_UNITS = [
  [1e18, 'EH/s'],
  [1e15, 'PH/s'],
  [1e12, 'TH/s'],
  [1e9, 'GH/s'],
  [1e6, 'MH/s'],
  [1e3, 'kH/s'],
] as const;

// What the numbers in the answers of REST stand for.

/** `status`: 1 not started, 2 normal, 3 paused, 4 suspended (a fault, no pause), 5 restricted (not certain). */
export const STATUS = { running: 2, paused: 3, suspended: 4 } as const;
/** Of which the device says itself that nothing is hashed. */
export const RESTING: readonly number[] = [1, STATUS.paused, STATUS.suspended];

/** `tuner_mode`. */
export const TUNER_MODES: Readonly<Record<number, 'power_tuning' | 'hashrate_tuning'>> = {
  1: 'power_tuning',
  2: 'hashrate_tuning',
};

/** `control_board_soc_family`. */
export const CONTROL_BOARDS: Readonly<Record<number, string>> = {
  1: 'CVITek',
  2: 'BeagleBone',
  3: 'AMLogic',
  4: 'Xilinx',
  5: 'Braiins CB',
};

// What the words of VNish stand for.

/** What the machine or a board does. */
export const MINING: readonly string[] = ['mining', 'auto-tuning'];
export const ASLEEP: readonly string[] = ['stopped', 'paused'];
export const IDLE: readonly string[] = [
  ...ASLEEP,
  'initializing',
  'starting',
  'restarting',
  'shutting-down',
  'failure',
];
export const DEAD: readonly string[] = ['failure', 'disabled'];

/** Whether a pool is alive; `disabled` and `unknown` say neither. */
export const ALIVE: Readonly<Partial<Record<string, boolean>>> = {
  active: true,
  working: true,
  rejecting: true,
  offline: false,
};

/** `platform` of its information page. */
export const PLATFORMS: Readonly<Partial<Record<string, string>>> = {
  aml: 'AMLogic',
  bb: 'BeagleBone',
  cv: 'CVITek',
  xil: 'Xilinx',
};

/** Where the sensors of a power supply stand, by version. */
export const PSU_SENSORS = ['pfc', 'llc1', 'llc2', 'pfc_temp', 'llc1_temp', 'llc2_temp'] as const;

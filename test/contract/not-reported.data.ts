// The values of recordings that are not reported, each with its reason. Everything else that a recording has stands in `recorded-truth.data.ts`.

/** The reasons that there are. That it was not found out is none. */
export const REASONS = {
  'no-field': 'our document has no place for this kind of thing',
  'not-asked': 'it takes a question of its own, which costs the device more than the answer is worth',
  setting: 'what the device is told to do, not what it does',
  'same-fact': 'a value that is reported tells it, newer or finer',
  'not-a-measurement': 'it says nothing of the device: of an empty place, or in a unit that is not known',
} as const;

export type NotReported = {
  /** How many values of the recording this is: one per board, fan or power supply. */
  readonly values: number;
  readonly reason: keyof typeof REASONS;
  readonly why: string;
};

/** By recording, then by field: as the index of the recordings calls it, where it does. */
export const NOT_REPORTED: Readonly<Record<string, Readonly<Record<string, NotReported>>>> = {
  'antminer-stock--s19pro-s21-2022': {
    minerVersion: {
      values: 1,
      reason: 'no-field',
      why: 'the version of the mining program: one firmware version is reported, that of the file system',
    },
    compileTime: {
      values: 1,
      reason: 'same-fact',
      why: 'the version of the file system is newer and stands for the build',
    },
    'boards.tempPicC': { values: 3, reason: 'no-field', why: 'sensors of the controller of each board' },
  },
  'auradine-fluxos--at1500-2023-12.27': {
    psuFanCount: { values: 1, reason: 'same-fact', why: 'the speed of the first fan is reported' },
    'psu.fansRpm': { values: 1, reason: 'no-field', why: 'there is one fan speed per power supply: the first' },
    accepted: {
      values: 1,
      reason: 'same-fact',
      why: 'the counters of each pool are reported, of another moment than the sum',
    },
    controlBoardTempC: { values: 1, reason: 'no-field', why: 'the temperature of the control board' },
    'psu.currentA': { values: 2, reason: 'no-field', why: 'input and output current' },
    'psu.maxPowerW': { values: 1, reason: 'setting', why: 'what the power supply may give' },
    'boards.chipVoltageV': { values: 1, reason: 'not-asked', why: 'voltages of single chips' },
  },
  'avalon--a1246-21072802': {
    psuCurrentA: { values: 1, reason: 'no-field', why: 'output current' },
    pingMs: { values: 1, reason: 'no-field', why: 'the delay of the pool' },
    'boards.chipVoltageV': { values: 1, reason: 'no-field', why: 'voltages of single chips' },
  },
  'avalon--q-25052801': {
    softOffReason: { values: 1, reason: 'no-field', why: 'sleep is reported, not its reason' },
    workMode: {
      values: 1,
      reason: 'setting',
      why: 'the mode that it would wake to: while it is off the mode is sleep',
    },
    partVersions: { values: 2, reason: 'no-field', why: 'firmware of the fan controller and of the hashboard' },
  },
  'axeos--bitaxe-supra-v2.4.5': {
    coreVoltageV: { values: 2, reason: 'no-field', why: 'voltage of the chip, wanted and real' },
    currentA: { values: 1, reason: 'no-field', why: 'input current' },
    wifi: { values: 1, reason: 'no-field', why: 'the state of the radio' },
  },
  'bitaxe-supra-v2.4.5': {
    coreVoltageV: { values: 2, reason: 'no-field', why: 'voltage of the chip, wanted and real' },
    currentA: { values: 1, reason: 'no-field', why: 'input current' },
  },
  'braiins-os--s9-22.08-gql': {
    poolGroups: { values: 1, reason: 'setting', why: 'how the pools are grouped' },
    poolQuotas: { values: 1, reason: 'setting', why: 'how the work is shared between the groups' },
  },
  'braiins-os--s21plus-25.03-gql': {
    poolGroups: { values: 1, reason: 'setting', why: 'how the pools are grouped' },
    poolQuotas: { values: 1, reason: 'setting', why: 'how the work is shared between the groups' },
  },
  'braiins-os--s19xp-25.07-rest': {
    poolGroups: { values: 1, reason: 'setting', why: 'how the pools are grouped' },
    hashrate1mHs: { values: 1, reason: 'same-fact', why: 'the rates of 5 s, 15 min and 24 h are reported' },
    stickerHashrateHs: {
      values: 1,
      reason: 'same-fact',
      why: 'expected is what the firmware aims at: the sticker stands in for it only where it is not tuned',
    },
    'boards.hashrate24hHs': { values: 3, reason: 'no-field', why: 'the rate of the day is that of the machine' },
  },
  'elphapex--dg-home1-1.0.5': {
    algorithm: { values: 1, reason: 'same-fact', why: 'it follows from the model' },
    averageTempC: {
      values: 1,
      reason: 'not-a-measurement',
      why: 'every slot repeats the same board sensors, also the empty ones',
    },
    clock: { values: 1, reason: 'not-a-measurement', why: 'its unit is not known' },
    lastShareDifficulty: { values: 1, reason: 'no-field', why: 'diffa and diffr are of the last share' },
  },
  'epic-umcos--s19xp-bms-1.5.13': {
    chipSamples: { values: 1, reason: 'no-field', why: 'single chips: those that hash are counted' },
    throttle: { values: 1, reason: 'setting', why: 'of the tuner: an order keeps it as it is' },
    fanConfig: { values: 1, reason: 'setting', why: 'of the cooling' },
    shutdownTempC: { values: 1, reason: 'setting', why: 'of the protection' },
    criticalTempC: { values: 1, reason: 'setting', why: 'of the protection' },
    poolUser: {
      values: 1,
      reason: 'same-fact',
      why: 'the worker as it is set is reported, without the id that the machine adds',
    },
  },
  'hammer--d10-2023-05-28': {
    algorithm: { values: 1, reason: 'same-fact', why: 'it follows from the model' },
    fileSystemVersion: {
      values: 1,
      reason: 'no-field',
      why: 'one firmware version is reported, that of the mining program',
    },
  },
  'luxos--s19kpro-2025.4.8': {
    poolGroups: { values: 1, reason: 'setting', why: 'how the pools are grouped' },
    hashrate1mHs: { values: 1, reason: 'same-fact', why: 'the rates of 5 s and of 15 min are reported' },
    nameplateHashrateHs: {
      values: 1,
      reason: 'same-fact',
      why: 'it holds for the default profile, and another one is set: expected is that of the profile',
    },
    boardVoltageV: { values: 3, reason: 'not-asked', why: 'a question for each board' },
  },
  'proto--rig-1.8.0': {
    'boards.currentA': { values: 4, reason: 'no-field', why: 'current of each board' },
    'psu.currentA': { values: 4, reason: 'no-field', why: 'input and output current of each power supply' },
  },
  'sealminer-a2-2025091001': {
    'psu.firmware': { values: 1, reason: 'no-field', why: 'firmware of the power supply' },
  },
  'volcminer--d1-2025-10-08-web': {
    algorithm: { values: 1, reason: 'same-fact', why: 'it follows from the model' },
    cgminerVersion: { values: 1, reason: 'no-field', why: 'one firmware version is reported, that of the file system' },
  },
  'volcminer-d1-2025-10-08-04-26-50-cst': {
    cgminerVersion: { values: 1, reason: 'no-field', why: 'one firmware version is reported, that of the file system' },
  },
  'whatsminer-api1--m20s-20210322': {
    'psu.name': { values: 1, reason: 'same-fact', why: 'the model names the same thing more precisely' },
    'psu.currentA': { values: 1, reason: 'no-field', why: 'output current' },
    'psu.firmware': { values: 1, reason: 'no-field', why: 'firmware of the power supply' },
  },
  'whatsminer-api3--m60s-20251209': {
    chipTempMinC: { values: 4, reason: 'no-field', why: 'the coldest chip, of the machine and of each board' },
    'psu.versions': { values: 2, reason: 'no-field', why: 'hardware and firmware of the power supply' },
  },
  'whatsminer-m60s-vk40-20251209.16.rel2': {
    chipTempMinC: { values: 4, reason: 'no-field', why: 'the coldest chip, of the machine and of each board' },
    'psu.versions': { values: 2, reason: 'no-field', why: 'hardware and firmware of the power supply' },
  },
};

// Where each value of the recordings' index stands in a Reading, and which values a Reading has no place for, with the reason.
import { normaliseMac } from '../../src/model/identity-facts.ts';
import type { Reading } from '../../src/model/reading.ts';

type Place = (reading: Reading) => unknown;

const sum = (values: readonly (number | undefined)[] | undefined) =>
  values?.reduce<number | undefined>((total, value) => (value === undefined ? total : (total ?? 0) + value), undefined);
const mean = (values: readonly (number | undefined)[] | undefined) => {
  const total = sum(values);
  return total === undefined || values === undefined ? undefined : total / values.length;
};

export const PLACES: Readonly<Record<string, Place>> = {
  accepted: (r) => r.pools?.[0]?.accepted,
  ambientTempC: (r) => r.inletTempC,
  apiVersion: (r) => r.apiVersion,
  averageHashrateHs: (r) => r.hashrateAverageHs,
  averageTempC: (r) => mean(r.boards?.map((board) => board.chipTempAvgC)),
  boardAvgTempC: (r) => r.boards?.map((board) => board.chipTempAvgC),
  boardCount: (r) => r.boards?.length,
  boardHashrateHs: (r) => r.boards?.map((board) => board.hashrateHs),
  boardInletTempC: (r) => r.boards?.[0]?.inletTempC,
  boardMaxTempC: (r) => r.boards?.map((board) => board.chipTempMaxC),
  boardOutletTempC: (r) => r.boards?.[0]?.outletTempC,
  chipsTotal: (r) => r.totalChips ?? sum(r.boards?.map((board) => board.chips)),
  controlBoard: (r) => r.controlBoard,
  errorCodesSortedUnique: (r) => r.errors?.map(({ code }) => Number(code)).toSorted((a, b) => a - b),
  exhaustTempC: (r) => r.boards?.map((board) => board.outletTempC),
  expectedHashrateHs: (r) => r.expected?.hashrateHs,
  fanCount: (r) => r.fans?.length,
  fanPct: (r) => r.fans?.[0]?.dutyPercent,
  fansRpm: (r) => r.fans?.map((fan) => fan.rpm),
  firmwareVersion: (r) => r.firmwareVersion,
  frequencyMhz: (r) => r.boards?.[0]?.frequencyMhz,
  hashrate15mHs: (r) => r.hashrateSettledHs,
  hashrate24hHs: (r) => r.hashrate24hHs,
  hashrate30mHs: (r) => r.hashrateSettledHs,
  hashrateAvgHs: (r) => r.hashrateAverageHs,
  hashrateHs: (r) => r.hashrateHs,
  hashrateTargetHs: (r) => r.expected?.hashrateHs,
  hashrateHsRounded: (r) => (r.hashrateHs === undefined ? undefined : Math.round(r.hashrateHs / 1e6) * 1e6),
  hostname: (r) => r.hostname,
  inletTempC: (r) => r.inletTempC,
  intakeTempC: (r) => r.boards?.map((board) => board.inletTempC),
  isMining: (r) => r.isMining,
  lightOn: (r) => r.isLightOn,
  // As written it goes on to the identity rules, which take only a valid one.
  mac: (r) => (r.mac === undefined ? undefined : normaliseMac(r.mac)),
  make: (r) => r.make,
  miningMode: (r) => r.miningMode,
  minerUptimeS: (r) => r.uptimeS,
  difficulty: (r) => r.pools?.[0]?.difficulty,
  pool: (r) => r.pools?.[0]?.url.replace('stratum+tcp://', ''),
  model: (r) => r.model,
  poolCount: (r) => r.pools?.length,
  powerLimitW: (r) => r.powerLimitW,
  powerMode: (r) => r.miningMode,
  powerTargetW: (r) => r.powerLimitW,
  powerW: (r) => r.powerW,
  profile: (r) => r.miningModePreset,
  psuFanRpm: (r) => r.psus?.[0]?.fanRpm,
  psuOutputPowerW: (r) => r.psuOutputPowerW,
  rejected: (r) => r.pools?.[0]?.rejected,
  scaledPowerTargetW: (r) => r.powerLimitW,
  serialNumber: (r) => r.serialNumber,
  tuningPercent: (r) => (r.miningModePreset === undefined ? undefined : Number(r.miningModePreset)),
  uptimeS: (r) => r.uptimeS ?? r.systemUptimeS,
  wallPowerW: (r) => r.powerW,
  workLevel: (r) => (r.miningModePreset === undefined ? undefined : Number(r.miningModePreset)),
};

type Item<K extends 'boards' | 'pools' | 'psus'> = NonNullable<Reading[K]>[number];

export const BOARD_PLACES: Readonly<Record<string, (board: Item<'boards'>) => unknown>> = {
  slot: (b) => b.slot,
  active: (b) => b.isAlive,
  serialNumber: (b) => b.serialNumber,
  chips: (b) => b.chips,
  hashrateHs: (b) => b.hashrateHs,
  expectedHashrateHs: (b) => b.expectedHashrateHs,
  frequencyMhz: (b) => b.frequencyMhz,
  hwErrors: (b) => b.hwErrors,
  tempPcbC: (b) => b.boardTempsC,
  boardTempC: (b) => b.boardTempsC?.[0],
  chipTempC: (b) => b.chipTempAvgC,
  outletTempC: (b) => b.outletTempC,
  inletTempC: (b) => b.inletTempC,
};
export const POOL_PLACES: Readonly<Record<string, (pool: Item<'pools'>) => unknown>> = {
  index: (p) => p.index,
  url: (p) => p.url,
  user: (p) => p.user,
  accepted: (p) => p.accepted,
  rejected: (p) => p.rejected,
  stale: (p) => p.stale,
  difficulty: (p) => p.difficulty,
  alive: (p) => p.isAlive,
  active: (p) => p.isActive,
};
export const PSU_PLACES: Readonly<Record<string, (psu: Item<'psus'>) => unknown>> = {
  model: (p) => p.model,
  serialNumber: (p) => p.serialNumber,
  fanRpm: (p) => p.fanRpm,
  inputPowerW: (p) => p.inputPowerW,
  inputVoltageV: (p) => p.inputVoltageV,
  outputVoltageV: (p) => p.outputVoltageV,
  outputPowerW: (p) => p.outputPowerW,
  tempC: (p) => p.tempC,
};

/** Values of a recording that are not read, per set: `<field>` or `boards.<field>`, with the reason. Nothing else may be missing. */
export const NOT_READ: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'auradine-fluxos--at1500-2023-12.27': {
    psuFanCount: 'a Reading has one fan speed per power supply',
    errors: 'code 2 means that all is well, which is no fault: checked in a test of its own',
    accepted: 'the index has the sum of `summary`, and the pool in use was counted at another time',
    controlBoardTempC: 'a Reading has no place for it',
    'psu.fansRpm': 'a Reading has one fan speed per power supply: the first',
  },
  'epic-umcos--s19xp-bms-1.5.13': {
    serialNumber: 'it is in none of the recorded answers; the one of the controller is told',
    chipSamples: 'a Reading has no place for single chips: those that hash are counted',
    throttle: 'settings of the tuner, which an order keeps as they are',
    fanConfig: 'a Reading has no place for the settings of the cooling',
    poolUser: 'the index has the name with the id that the machine adds; a Reading has what is set',
    shutdownTempC: 'a setting',
    criticalTempC: 'a setting',
    boardTemps: 'per board: checked in a test of its own',
    voltageV: 'a Reading has no place for the voltage of boards',
    frequencyMhz: 'per board: checked in a test of its own',
  },
  'proto--rig-1.8.0': {
    hashrateHsMin: 'a bound of its source’s test; the rate itself is checked',
    powerWMin: 'a bound of its source’s test; the power itself is checked',
    'boards.expectedChips': 'in expected.chipsPerBoard: checked in a test of its own',
    psus: 'checked in a test of its own',
    boardInletTempC: 'a list for all boards: checked in a test of its own',
    boardOutletTempC: 'a list for all boards: checked in a test of its own',
  },
  'antminer-stock--s19pro-s21-2022': {
    minerVersion: 'a Reading has one firmware version; the file system version is what users compare',
    compileTime: 'it stands in for the firmware version only where there is no file system version',
    'boards.chain': 'the slot is told, counted from 0; the chain number is the firmware’s own',
    'boards.tempChipC': 'a Reading keeps the hottest and the mean of the chip sensors; checked below as chipTempMaxC',
  },
  'axeos--bitaxe-supra-v2.4.5': {
    coreVoltageV: 'a Reading has no place for the voltage of chips',
    inputVoltageV: 'a Reading has voltages of power supplies only, and this device has none of its own',
    currentA: 'a Reading has no place for currents',
    wifi: 'a Reading has no place for the state of the radio',
  },
  'avalon--a1246-21072802': {
    'boards.frequencyMhz':
      'another program takes the plain mean of the steps; the clock is what the device says, 502.41',
    'boards.outletTempC': 'another program takes the hottest chip for an outlet; the device names none',
    psuCurrentA: 'a Reading has no place for currents',
    pingMs: 'a Reading has no place for the delay of the pool',
  },
  'avalon--q-25052801': {
    softOffReason: 'a Reading tells sleep, not its reason',
    workMode: 'while it is off the mode is sleep, not the mode it would wake to',
  },
  'luxos--s19kpro-2025.4.8': {
    poolGroups: 'a Reading has pools, not their groups',
    errors: 'the index has words of another program for the severity: checked in a test of its own',
    hashrate1mHs: 'the rate of now is that of 5 s, the settled one that of 15 min',
    nameplateHashrateHs: 'it holds for the default profile, and another one is set',
    boardVoltageV: 'a Reading has no place for the voltage of boards',
    boardsInDevsOrder: 'a remark: the order is checked below by the serial numbers',
  },
  'braiins-os--s9-22.08-gql': {
    poolGroups: 'a Reading has pools, not their groups',
    poolQuotas: 'a Reading has pools, not the quotas of their groups',
    'boards.name': 'the slot is told, counted from 0; the name is the firmware’s own',
    'boards.voltageV': 'a Reading has no place for the voltage of boards',
    'boards.chipTempC': 'the hottest chip, not the mean: checked below as chipTempMaxC',
    'pools.group': 'a Reading has pools, not their groups',
  },
  'braiins-os--s21-24.09-gql': {
    accepted: 'one figure per pool: checked below',
    rejected: 'one figure per pool: checked below',
  },
  'braiins-os--s21plus-25.03-gql': {
    poolGroups: 'a Reading has pools, not their groups',
    poolQuotas: 'a Reading has pools, not the quotas of their groups',
    'boards.name': 'the slot is told, counted from 0; the name is the firmware’s own',
    'boards.voltageV': 'a Reading has no place for the voltage of boards',
    'boards.chipTempC': 'the hottest chip, not the mean: checked below as chipTempMaxC',
  },
  'braiins-os--s19xp-25.07-rest': {
    poolGroups: 'a Reading has pools, not their groups',
    uptimeS: 'of the system, told beside that of the mining process: checked below as systemUptimeS',
    hashrate1mHs: 'the rate of now is that of 5 s, the settled one that of 15 min',
    stickerHashrateHs: 'expected is what the firmware aims at; the sticker stands in for it only where it is not tuned',
    fanPct: 'one figure per fan: checked below',
    controlBoardSoc: 'the index has the number; it is told as AMLogic: checked below',
    errorCount: 'the device gives its history: only the newest hour counts, and there was nothing in it; checked below',
    'boards.id': 'the slot is told, counted from 0; the id is the firmware’s own',
    'boards.voltageV': 'a Reading has no place for the voltage of boards',
    'boards.chipTempC': 'the hottest chip, not the mean: checked below as chipTempMaxC',
    'boards.hashrate24hHs': 'a Reading has the day’s rate of the machine, not of its boards',
  },
  'elphapex--dg-home1-1.0.5': {
    algorithm: 'a Reading has none: it follows from the model',
    averageTempC: 'the board sensors, which every slot repeats, are not believed; the chip sensors are told',
    boardCount: 'three of the four slots are empty: a Reading lists the boards that are there',
    'boards.active': 'said by being in the list',
    'boards.expectedChips': 'in expected.chipsPerBoard; checked below',
    'boards.inletChipTempC': 'a Reading keeps the hottest and the mean of the chip sensors; checked below',
  },
  'hammer--d10-2023-05-28': {
    algorithm: 'a Reading has none: it follows from the model',
    'boards.chain': 'the slot is told, counted from 0; the chain number is the firmware’s own',
  },
  'volcminer--d1-2025-10-08-web': {
    algorithm: 'a Reading has none: it follows from the model',
    controlBoard:
      'the index has the word of its source, TVXilinx; the device says xilinx and is told as Xilinx; checked below',
  },
  'whatsminer-api3--error-code-shapes': {
    errorCodesForString: 'of the second answer of the set: checked in a test of its own',
  },
  'whatsminer-api1--m20s-20210322': {
    'psu.name': 'the model names the same thing more precisely',
    chipTempC: 'checked per board, where a Reading has it',
  },
};

/** Figures that a driver takes from another answer of the same minute: relative tolerance, with the reason. */
export const TOLERANCE: Readonly<Record<string, { readonly relative: number; readonly reason: string }>> = {
  'antminer-stock--s19pro-s21-2022.hashrateAvgHs': {
    relative: 1e-5,
    reason: 'the index has the figure of `summary`, the driver that of `stats` of the same second',
  },
};

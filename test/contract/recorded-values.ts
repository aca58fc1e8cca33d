// Where each value of the recordings' index stands in a Reading.
import { normaliseMac } from '../../src/model/identity-facts.ts';
import type { Reading } from '../../src/model/reading.ts';
import { NOT_REPORTED } from './not-reported.data.ts';
import { RECORDED } from './recorded-truth.data.ts';

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
  voltageV: (b) => b.voltageV,
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

/** Of the index: words that are no value of the device. */
const REMARK = 'no value';

/** Values of the index that are reported at another place, which `recorded-truth.data.ts` has. */
export const ELSEWHERE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'auradine-fluxos--at1500-2023-12.27': { errors: REMARK },
  'epic-umcos--s19xp-bms-1.5.13': {
    serialNumber: REMARK,
    boardTemps: 'boards[1].boardTempsC[0]',
    frequencyMhz: 'boards[1].frequencyMhz',
    voltageV: 'boards[1].voltageV',
  },
  'proto--rig-1.8.0': {
    hashrateHsMin: 'hashrateHs',
    powerWMin: 'powerW',
    'boards.expectedChips': 'boards[0].chips',
    psus: 'psus[0].inputPowerW',
    boardInletTempC: 'boards[0].inletTempC',
    boardOutletTempC: 'boards[0].outletTempC',
  },
  // Another program takes the plain mean of the steps for the clock, and the hottest chip for an outlet.
  'avalon--a1246-21072802': {
    'boards.frequencyMhz': 'boards[0].frequencyMhz',
    'boards.outletTempC': 'boards[0].chipTempMaxC',
  },
  'antminer-stock--s19pro-s21-2022': { 'boards.chain': 'boards[0].slot', 'boards.tempChipC': 'boards[0].chipTempMaxC' },
  'axeos--bitaxe-supra-v2.4.5': { inputVoltageV: 'boards[0].voltageV' },
  'luxos--s19kpro-2025.4.8': { errors: 'errors[NOPIC_PROTECTION].code', boardsInDevsOrder: REMARK },
  'braiins-os--s9-22.08-gql': {
    'boards.name': 'boards[0].slot',
    'boards.chipTempC': 'boards[0].chipTempMaxC',
    'pools.group': REMARK,
  },
  'braiins-os--s21-24.09-gql': { accepted: 'pools[0].accepted', rejected: 'pools[0].rejected' },
  'braiins-os--s21plus-25.03-gql': { 'boards.name': 'boards[0].slot', 'boards.chipTempC': 'boards[0].chipTempMaxC' },
  'braiins-os--s19xp-25.07-rest': {
    uptimeS: 'systemUptimeS',
    fanPct: 'fans[0].dutyPercent',
    controlBoardSoc: 'controlBoard',
    errorCount: REMARK,
    'boards.id': 'boards[0].slot',
    'boards.chipTempC': 'boards[0].chipTempMaxC',
  },
  'elphapex--dg-home1-1.0.5': {
    boardCount: 'boards[3].slot',
    'boards.active': 'boards[3].slot',
    'boards.expectedChips': 'boards[3].chips',
    'boards.inletChipTempC': 'boards[3].chipTempMaxC',
  },
  'hammer--d10-2023-05-28': { 'boards.chain': 'boards[0].slot' },
  'volcminer--d1-2025-10-08-web': { controlBoard: 'controlBoard' },
  'whatsminer-api3--error-code-shapes': { errorCodesForString: REMARK },
  'whatsminer-api1--m20s-20210322': { chipTempC: 'boards[0].chipTempMaxC' },
};

/** Whether a value of the index is compared elsewhere, or listed as not reported. */
export const isElsewhere = (id: string, key: string): boolean =>
  key in (ELSEWHERE[id] ?? {}) || key in (NOT_REPORTED[id] ?? {});

/** Places of `ELSEWHERE` that are none. */
export const lostPlaces = (): string[] =>
  Object.entries(ELSEWHERE).flatMap(([id, fields]) =>
    Object.entries(fields).flatMap(([field, place]) =>
      place === REMARK || place in (RECORDED[id] ?? {}) ? [] : [`${id} ${field}: ${place}`],
    ),
  );

/** Figures that a driver takes from another answer of the same minute: relative tolerance, with the reason. */
export const TOLERANCE: Readonly<Record<string, { readonly relative: number; readonly reason: string }>> = {
  'antminer-stock--s19pro-s21-2022.hashrateAvgHs': {
    relative: 1e-5,
    reason: 'the index has the figure of `summary`, the driver that of `stats` of the same second',
  },
};

// Values of the recordings' index that are compared at another place, or not at all.
import { NOT_REPORTED } from './not-reported.data.ts';
import { RECORDED } from './recorded-truth.data.ts';

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

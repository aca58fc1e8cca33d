// The long text of `estats`: `Key[value value ...]` tokens, as the A series prints them. Atlas section 5.2.
import type { SimDevice } from '../_farm/device.ts';
import type { AvalonModel } from './farm.data.ts';
import { type AvalonFacts, avalonDna } from './farm-facts.ts';
import { workMode } from './farm-writes.ts';

export function estatsText(device: SimDevice, model: AvalonModel, facts: AvalonFacts): string {
  const perBoard = (value: (board: AvalonFacts['boards'][number]) => number) => facts.boards.map(value).join(' ');
  const working = facts.boards.filter((board) => !board.isDead).length;
  const tokens = [
    `Ver[${model.modelField}-${model.firmware}]`,
    `DNA[${avalonDna(device)}]`,
    'MEMFREE[1201472.0]',
    'NETFAIL[0 0 0 0 0 0 0 0]',
    `SYSTEMSTATU[Work: ${facts.isIdle ? 'In Idle' : 'In Work'}, Hash Board: ${working} ]`,
    `Elapsed[${device.uptimeS()}]`,
    'BOOTBY[0x08.00000000]',
    `LW[${device.uptimeS() * 1_000}]`,
    `MH[${perBoard(() => 900)}]`,
    'HW[2735]',
    'DH[2.732%]',
    `Temp[${facts.inletC}]`,
    `TMax[${facts.maxC}]`,
    `TAvg[${facts.avgC}]`,
    ...facts.fans.map((rpm, index) => `Fan${index + 1}[${rpm}]`),
    'FanR[72%]',
    'Vo[329]',
    `PS[${psuWords(facts)
      .slice(0, model.isA10 ? 6 : 7)
      .join(' ')}]`,
    ...facts.boards.map((board) => `PLL${board.slot}[1796 4524 5435 2165]`),
    ...(model.isA10 ? [] : [`GHSspd[${facts.ghs.toFixed(2)}]`, 'DHspd[2.732%]']),
    `GHSmm[${facts.expectedGhs.toFixed(2)}]`,
    `GHSavg[${facts.averageGhs.toFixed(2)}]`,
    'WU[1112790.28]',
    `Freq[${model.frequencyMhz.toFixed(2)}]`,
    `Led[${device.settings.isLightOn ? 1 : 0}]`,
    `MGHS[${facts.boards.map((board) => board.ghs.toFixed(2)).join(' ')}]`,
    `MTmax[${perBoard((board) => board.maxC)}]`,
    `MTavg[${perBoard((board) => board.avgC)}]`,
    `TA[${model.chipsPerBoard * model.boards}]`,
    'Core[A3201]',
    'PING[443]',
    'POWS[0]',
    `HASHS[${perBoard(() => 0)}]`,
    'POOLS[0]',
    `SoftOFF[${facts.isIdle ? 1 : 0}]`,
    `ECHU[${facts.boardErrors.join(' ')}]`,
    'ECMM[0]',
    ...facts.boards.map((board) => `SF${board.slot}[${model.steps.join(' ')}]`),
    ...facts.boards.map((board) => `PVT_T${board.slot}[${chipTemps(model, board.maxC, board.avgC)}]`),
    ...facts.boards.map((board) => `PVT_V${board.slot}[${repeated(board.isDead ? 0 : 306, model.chipsPerBoard)}]`),
    `MW[${perBoard(() => 8_192_794)}]`,
    ...facts.boards.map((board) => `MW${board.slot}[${repeated(board.isDead ? 0 : 628, model.chipsPerBoard)}]`),
    'CRC[0 0 0]',
    'POW_I2C[OK]',
    'FACOPTS0[]',
    'FACOPTS1[]',
    'ATAOPTS0[--avalon10-freq 376:396:416:436 --avalon10-voltage-level 46 ]',
    'ADJ[1]',
    'COP[0 0 0]',
    `MPO[${device.settings.powerLimitW}]`,
    'MVL[87]',
    `WORKMODE[${workMode(device, false)}]`,
  ];
  return tokens.join(' ');
}

/** Error, control rail, board rail, amperes, DC watts, set voltage, wall watts; rails in 0.01 V. */
function psuWords(facts: AvalonFacts): number[] {
  const dcW = Math.round(facts.wallW * 0.91);
  return [facts.psuError, 1_214, 1_316, Math.round(dcW / 13.16), dcW, 1_320, facts.wallW];
}

const repeated = (value: number, times: number) => `${value} `.repeat(times).trimEnd();

/** One chip at the maximum, the rest at the mean, padded as the firmware does. */
function chipTemps(model: AvalonModel, maxC: number, avgC: number): string {
  return ` ${maxC}${`  ${avgC}`.repeat(model.chipsPerBoard - 1)}`;
}

/** The text of home models, wrapped as they wrap it. */
export function litestatsText(device: SimDevice, model: AvalonModel, facts: AvalonFacts): string {
  const working = facts.boards.filter((board) => !board.isDead).length;
  const tokens = [
    `Ver[${model.modelField}-${model.firmware}]`,
    `LVer[${model.firmware}]`,
    'CPU[K230]',
    'FW[Release]',
    'DNA[<DELETED>]',
    `STATE[${facts.isIdle ? 2 : 1}]`,
    'MEMFREE[67896]',
    'NETFAIL[0 0 0 0 0 0 0 0]',
    `SYSTEMSTATU[Work: ${facts.isIdle ? 'In Idle' : 'In Work'}, Hash Board: ${working}]`,
    `Elapsed[${device.uptimeS()}]`,
    'BOOTBY[0x01.00000000]',
    'MH[0]',
    'HW[0]',
    `ITemp[${facts.inletC}]`,
    `HBITemp[${facts.inletC + 1}]`,
    `HBOTemp[${facts.inletC + 20}]`,
    `TMax[${facts.maxC}]`,
    `TAvg[${facts.avgC}]`,
    'TarT[65]',
    ...facts.fans.map((rpm, index) => `Fan${index + 1}[${rpm}]`),
    'FanR[45%]',
    'FanErr[0]',
    `PS[${psuWords(facts).join(' ')}]`,
    `GHSspd[${facts.ghs.toFixed(2)}]`,
    `GHSmm[${facts.expectedGhs.toFixed(2)}]`,
    `GHSavg[${facts.averageGhs.toFixed(2)}]`,
    `Freq[${model.frequencyMhz.toFixed(2)}]`,
    `MGHS[${facts.boards.map((board) => board.ghs.toFixed(2)).join(' ')}]`,
    `TA[${model.chipsPerBoard * model.boards}]`,
    'Core[A3197S]',
    'PING[17]',
    // Any number but 0 is off.
    `SoftOFF[${facts.isIdle ? 4 : 0}]`,
    `ECHU[${facts.boardErrors.join(' ')}]`,
    'ECMM[0]',
    ...facts.boards.map((board) => `SF${board.slot}[${model.steps.join(' ')}]`),
    'CRC[0]',
    'LcdOnoff[1]',
    `WORKMODE[${workMode(device, true)}]`,
    `WORKLEVEL[${device.settings.preset ?? '0'}]`,
    `MPO[${device.settings.powerLimitW}]`,
    'Nonce Mask[25]',
  ];
  return `'STATS':{${tokens.join(' ')}}`;
}

/** What home models tell of one board. */
export function chipText(model: AvalonModel, board: AvalonFacts['boards'][number]): string {
  const { slot, maxC, avgC, isDead } = board;
  return [
    `PVT_T${slot}[${chipTemps(model, maxC, avgC)}]`,
    `PVT_V${slot}[${repeated(isDead ? 0 : 275, model.chipsPerBoard)}]`,
    `MW${slot}[${repeated(isDead ? 0 : 628, model.chipsPerBoard)}]`,
  ].join(' ');
}

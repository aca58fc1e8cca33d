// Facts from TCP 4028, API 1 and 2 (atlas 4.1): one `summary` row in MH/s, one row per board in MH/s or TH/s, flat
// envelopes for the rest.
import { first, largest, scale, toNumber } from '../../src/driver/fields.ts';
import type { BoardReading, PsuReading, Reading } from '../../src/model/reading.ts';
import { poolReadings, present, rateHs, whenS } from '../_dialects/cgminer.ts';
import { windowHs } from '../_dialects/windows.ts';
import { type Fault, faultsOf } from './errors.ts';
import { boardsTold, type Facts, mainsV, powerMode, SET_CLOCK_S } from './facts.ts';
import type { Replies, TcpBoardRow, TcpSummaryRow } from './replies.ts';

/** Undefined when nothing was answered on 4028. */
export function factsFromTcp(replies: Replies): Facts | undefined {
  const { summary, edevs, devs, pools, status, errorCode, minerInfo, getVersion, psu, devdetails } = replies;
  const answers = [summary, edevs, devs, pools, status, errorCode, minerInfo, getVersion, psu, devdetails];
  if (answers.every((answer) => answer === undefined)) return undefined;
  const row = typeof summary === 'object' ? summary.SUMMARY?.[0] : undefined;
  const when = typeof summary === 'object' ? whenS(summary) : undefined;
  const info = minerInfo?.Msg;
  const version = getVersion?.Msg;
  const rows = (edevs ?? devs)?.DEVS;
  const unit = boardUnit(rows ?? [], row);
  return {
    reading: present({
      mac: row?.MAC ?? info?.mac,
      serialNumber: info?.minersn,
      hostname: info?.hostname,
      firmwareVersion: firmware(
        first(version?.fw_ver, row?.['Firmware Version'], status?.Msg['Firmware Version'], status?.Msg.FirmwareVersion),
      ),
      apiVersion: version?.api_ver?.replace(/^whatsminer\s+v?/i, ''),
      controlBoard: first(version?.platform, row?.['CB Platform']?.replace(/^ALLWINNER_/i, '')),
      ...(row && rates(row)),
      powerLimitW: positive(row?.['Power Limit']),
      uptimeS: row?.Elapsed,
      systemUptimeS: row?.Uptime,
      deviceTimeS: when !== undefined && when >= SET_CLOCK_S ? when : undefined,
      isLightOn: info?.ledstat === undefined ? undefined : info.ledstat.toLowerCase() !== 'auto',
      inletTempC: row?.['Env Temp'],
      boards: boardsTold(rows, (board, place) => boardOf(board, place, unit)),
      psus: psus(psu?.Msg, row, info?.powersn),
      pools: poolReadings(pools?.POOLS),
    }),
    reportedModel: devdetails?.DEVDETAILS?.find(({ Model }) => Model !== undefined)?.Model ?? version?.miner_type,
    factoryHs: rateHs(row?.['Factory GHS'], 'G'),
    powerW: row && first(positive(row.Power), positive(row.Power_RT), row.Power, row.Power_RT),
    fanInRpm: row?.['Fan Speed In'],
    fanOutRpm: row?.['Fan Speed Out'],
    isLiquid: first(row?.['Liquid Cooling'], status?.Msg.liquid_temp === undefined ? undefined : true),
    faults: errorCode === undefined ? summaryFaults(row) : faultsOf(errorCode.Msg.error_code),
    isOff: first(status?.Msg.mineroff, status?.Msg.btmineroff),
    isDown: typeof summary === 'string',
    mode: powerMode(row?.['Power Mode']),
    chipMaxC: row?.['Chip Temp Max'],
    boardMaxC: row?.Temperature,
  };
}

const positive = (value: number | undefined) => (value !== undefined && value > 0 ? value : undefined);

/** `'20210322.22.REL'` comes with its quotes. */
const firmware = (written: string | undefined) => written?.replaceAll("'", '').trim() || undefined;

function rates(row: TcpSummaryRow): Partial<Reading> {
  const live = rateHs(row['HS RT'], 'M');
  const shown = (['1m', '5s', '5m', 'av'] as const).find((window) => windowHs(row, window) !== undefined);
  return present({
    hashrateHs: live ?? (shown && windowHs(row, shown)),
    hashrateWindow: live !== undefined ? ('realtime' as const) : shown === 'av' ? ('average' as const) : shown,
    hashrateSettledHs: windowHs(row, '15m'),
    hashrateAverageHs: windowHs(row, 'av'),
  });
}

type Unit = 'M' | 'T';

const highestRate = (row: Readonly<Record<string, unknown>>): number =>
  largest(['HS RT', 'MHS av', 'MHS 15m', 'MHS 5m', 'MHS 1m'].map((key) => toNumber(row[key], { min: 0 }))) ?? 0;

/** No machine has boards of 10 PH/s together. */
const MOST_THS = 10_000;

/**
 * Firmware from 2025 on writes the rates of its boards in TH/s under the same keys, and the machine's still in MH/s:
 * what the boards add up to says which. Undefined where nothing proves it.
 */
function boardUnit(rows: readonly TcpBoardRow[], machine: TcpSummaryRow | undefined): Unit | undefined {
  const sum = rows.reduce((sofar, row) => sofar + highestRate(row), 0);
  if (sum === 0 || sum >= MOST_THS) return 'M';
  if (machine === undefined) return undefined;
  return highestRate(machine) > sum * 1_000 ? 'T' : 'M';
}

/** A slot without chips, serial number and rate is empty. */
function boardOf(row: TcpBoardRow, place: number, unit: Unit | undefined): BoardReading[] {
  const hashrateHs = boardRate(row, unit);
  const serialNumber = row['PCB SN'];
  const chips = row['Effective Chips'];
  if (highestRate(row) === 0 && serialNumber === undefined && !chips) return [];
  const slot = first(row.Slot, row.ASC, place);
  if (slot === undefined || slot > 63) return [];
  const isListedDead = row.Enabled === false || /dead|sick/i.test(row.Status ?? '');
  return [
    present({
      slot,
      serialNumber,
      hashrateHs,
      expectedHashrateHs: rateHs(row['Factory GHS'], 'G'),
      chips,
      frequencyMhz: positive(first(row['Chip Frequency'], row.Frequency)),
      boardTempsC: row.Temperature === undefined ? undefined : [row.Temperature],
      chipTempMaxC: row['Chip Temp Max'],
      chipTempAvgC: row['Chip Temp Avg'],
      hwErrors: row['Hardware Errors'],
      isAlive: isListedDead ? false : row.Status?.toLowerCase() === 'alive' ? true : undefined,
    }),
  ];
}

/**
 * Old firmware has no live rate per board. Its average since the start is the steadiest figure, but hides for hours
 * that a board fell out or came back: where the last minutes disagree with it, they count.
 */
function boardRate(row: TcpBoardRow, unit: Unit | undefined): number | undefined {
  if (unit === undefined) return undefined;
  const live = rateHs(row['HS RT'], unit);
  if (live !== undefined) return live;
  const average = rateHs(row['MHS av'], unit);
  const recent = rateHs(row['MHS 5m'], unit);
  if (average === undefined || recent === undefined) return first(recent, average, rateHs(row['MHS 1m'], unit));
  return Math.abs(recent - average) > 0.1 * average ? recent : average;
}

function psus(
  psu: NonNullable<Replies['psu']>['Msg'] | undefined,
  row: TcpSummaryRow | undefined,
  powersn: string | undefined,
): PsuReading[] | undefined {
  const reading = present({
    serialNumber: psu?.serial_no ?? powersn,
    model: psu?.model ?? psu?.name,
    tempC: psu?.temp0,
    fanRpm: first(row?.['Power Fanspeed'], psu?.fan_speed),
    inputVoltageV: mainsV(row?.['Power Voltage Input']) ?? mainsV(psu?.vin),
    outputVoltageV: scale(row?.Voltage, 0.01),
  });
  return Object.keys(reading).length === 0 ? undefined : [reading];
}

/** API 1 lists faults in `summary`: a count, then `Error Code 0`, `Error 0 Time`, `Error Code 1`, ... */
function summaryFaults(row: TcpSummaryRow | undefined): Fault[] | undefined {
  const count = row?.['Error Code Count'];
  if (row === undefined || count === undefined) return undefined;
  const places = Array.from({ length: Math.min(count, 64) }, (_, place) => place);
  return faultsOf(places.flatMap((place) => [row[`Error Code ${place}`], row[`Error ${place} Time`]]));
}

// Facts from TCP 4028, API 1 and 2 (atlas 4.1): MH/s rates, one `summary` row, one row per board, flat envelopes for the rest.
import { first, scale } from '../../src/driver/fields.ts';
import type { BoardReading, PsuReading, Reading } from '../../src/model/reading.ts';
import { poolReadings, present, rateHs, whenS, windowHs } from '../_families/cgminer.ts';
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
      boards: boardsTold((edevs ?? devs)?.DEVS, board),
      psus: psus(psu?.Msg, row, info?.powersn),
      pools: poolReadings(pools?.POOLS),
    }),
    reportedModel: devdetails?.DEVDETAILS?.find(({ Model }) => Model !== undefined)?.Model,
    factoryHs: rateHs(row?.['Factory GHS'], 'G'),
    powerW: row && first(positive(row.Power), positive(row.Power_RT), row.Power, row.Power_RT),
    fanInRpm: row?.['Fan Speed In'],
    fanOutRpm: row?.['Fan Speed Out'],
    isLiquid: row?.['Liquid Cooling'],
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

/** A slot without chips, serial number and rate is empty. */
function board(row: TcpBoardRow, place: number): BoardReading[] {
  const hashrateHs = boardRate(row);
  const serialNumber = row['PCB SN'];
  const chips = row['Effective Chips'];
  if (!hashrateHs && serialNumber === undefined && !chips) return [];
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
 * Old firmware has no live rate per board. Its average since the start is the steadiest figure, but hides for hours that a board fell out or
 * came back: where the last minutes disagree with it, they count.
 */
function boardRate(row: TcpBoardRow): number | undefined {
  const live = rateHs(row['HS RT'], 'M');
  if (live !== undefined) return live;
  const average = windowHs(row, 'av');
  const recent = windowHs(row, '5m');
  if (average === undefined || recent === undefined) return first(recent, average, windowHs(row, '1m'));
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
    inputVoltageV: mainsV(psu?.vin),
    outputVoltageV: scale(row?.Voltage, 0.01),
  });
  return Object.keys(reading).length === 0 ? undefined : [reading];
}

/** API 1 lists faults in `summary`: a count, then `Error Code 0`, `Error Code 1`, ... */
function summaryFaults(row: TcpSummaryRow | undefined): Fault[] | undefined {
  const count = row?.['Error Code Count'];
  if (row === undefined || count === undefined) return undefined;
  return faultsOf(Array.from({ length: Math.min(count, 64) }, (_, place) => row[`Error Code ${place}`]));
}

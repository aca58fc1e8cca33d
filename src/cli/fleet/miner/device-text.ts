// One miner in words, as it answers now or as it was last reported: facts, boards, fans, power supplies, pools, errors.
// Tables fit the screen.
import type { Found } from '../../../agent/capture/found.ts';
import { visibleLines } from '../../../model/plain-text.ts';
import type { BoardReading, FanReading, PoolReading, PsuReading, Reading } from '../../../model/reading.ts';
import { silenceAdvice, silenceOf } from '../../miners/silence.ts';
import { formatHashrate, formatModel, formatNumber, formatText, formatUptime, UNKNOWN } from '../../output/format.ts';
import { type Cell, type Column, factTable, table } from '../../output/table.ts';
import type { Paint } from '../../output/terminal.ts';

/** For programs; null = nothing was looked at, or it did not say. */
export function foundJson({
  ip,
  status,
  driver,
  driverOrigin,
  identity,
  reading,
  failedAsks,
  elapsedMs,
  known,
  sample,
}: Found) {
  return {
    ip,
    status,
    driver: driver ?? null,
    driver_origin: driverOrigin ?? null,
    identity: identity ?? null,
    reading: reading ?? null,
    failed_asks: failedAsks ?? [],
    elapsed_ms: elapsedMs ?? null,
    known: known ?? null,
    sample: sample ?? null,
  };
}

export function describeFound(found: Found, paint: Paint, width: number | undefined): string {
  const { reading } = found;
  if (found.known !== undefined)
    return `${paint('bold', found.ip)}  ${paint('red', silenceOf(found, found.known))}\n${silenceAdvice(found, found.known)}\n`;
  const head = `${paint('bold', found.ip)}  ${found.status.replace('_', ' ')}${found.driver === undefined ? '' : `  driver ${found.driver}${originOf(found)}`}\n`;
  if (found.status === 'likely')
    return `${head}${ADVICE.likely} If it is yours: pithead trust accept ${found.ip} --as ${found.driver}\n`;
  if (reading === undefined) return `${head}${found.isMute ? MUTE : ADVICE[found.status]}\n`;
  const failed = (found.failedAsks ?? []).map(({ ask, message }) =>
    paint('yellow', `not answered: ${ask}: ${message}`),
  );
  return `${[head, describeReading(reading, paint, width), ...failed].join('\n')}\n`;
}

/** Without a line end after the last line. */
export function describeReading(reading: Reading, paint: Paint, width: number | undefined): string {
  const sections = [
    ...[facts, boards, fans, psus, pools].map((section) => section(reading, width)),
    errors(reading, paint),
  ];
  return sections.filter((section) => section !== '').join('\n');
}

/** Of a driver that is no part of the program. */
const originOf = ({ driverOrigin }: Found) => (driverOrigin === undefined ? '' : ` (of ${driverOrigin})`);

/** A device without a driver of its own: how its owner can help. */
export function invite({ sample, known }: Found): string {
  if (sample === undefined || known !== undefined) return '';
  return `\nPithead has no driver for this device yet. This sample would help us to write one; passwords, wallets, workers, addresses and serial\nnumbers are removed, but look at it before you send it:\n\n${visibleLines(sample)}\n`;
}

const NOTHING =
  'Nothing came back from this address. Is it powered, is the address right, is this host in the same network?';
const MUTE =
  'It accepts connections and answers nothing. If it is a miner, its control board hangs: switch it off and on at the PDU.';
/** For a device that gave no reading. */
const ADVICE: Readonly<Record<Found['status'], string>> = {
  silent: NOTHING,
  missing: NOTHING,
  closed: 'The host is up, but every port that a miner would use is closed.',
  unknown: 'Something answers, but no driver knows it.',
  likely: 'It looks like a miner and gives no proof of what it is, so it is not read.',
  login_refused:
    'The miner lets no one in without a login. Does it wait for you (pithead trust list)? Else set its password in the configuration (credentials.logins); if that is right by now: pithead trust retry.',
  identified: 'It was recognised, but then gave no answer: try again.',
};

function facts(reading: Reading, width: number | undefined): string {
  const { expected } = reading;
  const share =
    reading.hashrateHs !== undefined && expected?.hashrateHs !== undefined && expected.hashrateHs > 0
      ? ` (${((100 * reading.hashrateHs) / expected.hashrateHs).toFixed(1)} % of ${formatHashrate(expected.hashrateHs)})`
      : '';
  const efficiency =
    reading.powerW !== undefined && reading.hashrateHs !== undefined && reading.hashrateHs > 0
      ? reading.powerW / (reading.hashrateHs / 1e12)
      : undefined;
  const rows: [string, string][] = [
    ['model', formatModel(reading.make, reading.model)],
    ['firmware', formatText(reading.firmwareVersion)],
    ['mac', formatText(reading.mac)],
    ['serial number', formatText(reading.serialNumber)],
    ['hostname', formatText(reading.hostname)],
    ['control board', formatText(reading.controlBoard)],
    [
      'mining',
      reading.isMining === undefined
        ? UNKNOWN
        : `${reading.isMining ? 'yes' : 'no'}, mode ${formatText(reading.miningMode)}`,
    ],
    [
      'hashrate',
      `${formatHashrate(reading.hashrateHs)}${share}${reading.hashrateWindow === undefined ? '' : `, ${reading.hashrateWindow}`}`,
    ],
    ['hashrate average', formatHashrate(reading.hashrateAverageHs)],
    ['power', formatNumber(reading.powerW, 'W')],
    ['efficiency', formatNumber(efficiency, 'J/TH', 1)],
    ['temperature', formatNumber(reading.tempC, '°C', 1)],
    ['inlet / outlet', `${formatNumber(reading.inletTempC, '°C', 1)} / ${formatNumber(reading.outletTempC, '°C', 1)}`],
    ['uptime', formatUptime(reading.uptimeS ?? reading.systemUptimeS)],
  ];
  return `${factTable(rows, width)}\n`;
}

/**
 * Nothing where the miner says nothing of it. `under` = where a column stands on a narrow screen; texts of `LONG`
 * are wrapped first.
 */
function list<T>(
  columns: Readonly<Record<string, (item: T) => Cell>>,
  items: readonly T[] = [],
  width: number | undefined,
  under: Readonly<Record<string, string>> = {},
): string {
  const asColumns = Object.entries(columns).map(([title, text]): Column<T> => {
    const above = under[title];
    return { title, text, ...(above !== undefined && { under: above }), ...(!LONG.has(title) && { isWhole: true }) };
  });
  return items.length === 0 || asColumns.length === 0 ? '' : `${table(asColumns, items, { width })}\n`;
}

const LONG: ReadonlySet<string> = new Set(['serial number', 'pool', 'worker', 'board °C', 'PSU']);

function boards({ boards, expected }: Reading, width: number | undefined): string {
  const chips = (actual: number | undefined) =>
    `${actual ?? UNKNOWN}${expected?.chipsPerBoard === undefined ? '' : ` / ${expected.chipsPerBoard}`}`;
  const columns = {
    board: (board: BoardReading) => board.slot,
    'serial number': (board: BoardReading) => formatText(board.serialNumber),
    hashrate: (board: BoardReading) => formatHashrate(board.hashrateHs),
    chips: (board: BoardReading) => chips(board.chips),
    frequency: (board: BoardReading) => formatNumber(board.frequencyMhz, 'MHz'),
    'board °C': (board: BoardReading) => formatText(board.boardTempsC?.join(' ')),
    'chip max °C': (board: BoardReading) => formatNumber(board.chipTempMaxC, ''),
    'HW errors': (board: BoardReading) => board.hwErrors ?? UNKNOWN,
  };
  return list(columns, boards, width, { 'HW errors': 'frequency', 'chip max °C': 'board °C' });
}

function fans({ fans }: Reading, width: number | undefined): string {
  const columns = {
    fan: (fan: FanReading) => fan.index,
    rpm: (fan: FanReading) => formatNumber(fan.rpm, ''),
    duty: (fan: FanReading) => formatNumber(fan.dutyPercent, '%'),
  };
  return list(columns, fans, width);
}

/** Columns of which no item says anything are left out. */
const withoutEmpty = <T>(columns: Readonly<Record<string, (item: T) => Cell>>, items: readonly T[]) =>
  Object.fromEntries(Object.entries(columns).filter(([, text]) => items.some((item) => text(item) !== UNKNOWN)));

function psus({ psus = [] }: Reading, width: number | undefined): string {
  const columns = {
    PSU: (psu: PsuReading) => (psu.model === undefined ? psus.indexOf(psu) : formatText(psu.model)),
    'serial number': (psu: PsuReading) => formatText(psu.serialNumber),
    temperature: (psu: PsuReading) => formatNumber(psu.tempC, '°C'),
    input: (psu: PsuReading) => formatNumber(psu.inputPowerW, 'W'),
    output: (psu: PsuReading) => formatNumber(psu.outputPowerW, 'W'),
    state: ({ isOk }: PsuReading) => (isOk === undefined ? UNKNOWN : isOk ? 'ok' : 'fault'),
  };
  return list(withoutEmpty(columns, psus), psus, width);
}

function pools({ pools }: Reading, width: number | undefined): string {
  const stateOf = ({ isActive, isAlive }: PoolReading) =>
    isActive === true ? 'active' : isAlive === true ? 'alive' : isAlive === false ? 'dead' : UNKNOWN;
  const columns = {
    pool: (pool: PoolReading) => pool.url,
    worker: (pool: PoolReading) => pool.user,
    state: stateOf,
    accepted: (pool: PoolReading) => pool.accepted ?? UNKNOWN,
    rejected: (pool: PoolReading) => pool.rejected ?? UNKNOWN,
    stale: (pool: PoolReading) => pool.stale ?? UNKNOWN,
  };
  return list(columns, pools, width, { worker: 'pool' });
}

function errors({ errors }: Reading, paint: Paint): string {
  return (errors ?? [])
    .map((error) => paint('red', `error ${error.code} (${error.category}): ${error.message ?? 'no text'}`))
    .join('\n');
}

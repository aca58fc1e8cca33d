// `pithead miner <ip>` and `pithead log <ip>`: what one miner reports now, and its log, straight from the device.
import type { Command } from 'commander';
import type { Found } from '../../agent/capture/found.ts';
import { singleAddress } from '../../agent/standalone/reach.ts';
import { logOnce, lookOnce } from '../../agent/standalone/scan.ts';
import { visibleLines } from '../../model/plain-text.ts';
import type { BoardReading, FanReading, PoolReading, PsuReading, Reading } from '../../model/reading.ts';
import { CommandFailed } from '../output/exit.ts';
import { formatHashrate, formatModel, formatNumber, formatText, formatUptime, UNKNOWN } from '../output/format.ts';
import { type Cell, type Column, factTable, screenWidth, table } from '../output/table.ts';
import { type CliContext, type Paint, painter } from '../output/terminal.ts';
import { type AccessFlags, addAccessOptions } from './access-options.ts';
import { throughRunning } from './running-agent.ts';
import { silenceAdvice, silenceOf } from './silence.ts';

type Flags = AccessFlags & { json?: boolean };

export function addMiner(program: Command, context: CliContext): void {
  const command = program
    .command('miner')
    .description('show everything that one miner says')
    .argument('<ip>', 'its address')
    .option('--json', 'the reading as JSON: H/s, W, degrees Celsius, MHz, seconds');
  addAccessOptions(command)
    .addHelpText('after', '\nExamples:\n  $ pithead miner 10.31.0.17\n  $ pithead miner 10.31.0.17 --json')
    .action(async (ip: string, flags: Flags) => {
      singleAddress(ip);
      const found = await throughRunning(flags, context, {
        ask: (agent): Promise<Found> => agent.look(ip, context.signal),
        alone: (config) => lookOnce({ config, ip }, context.signal),
      });
      if (flags.json) context.stdout.write(`${JSON.stringify(toJson(found), null, 2)}\n`);
      else
        context.stdout.write(
          `${describe(found, painter(context.stdout), screenWidth(context.stdout))}${invite(found)}`,
        );
      if (found.status !== 'identified' && found.status !== 'login_refused') throw new CommandFailed('');
    });
}

export function addLog(program: Command, context: CliContext): void {
  const command = program
    .command('log')
    .description('print the log that one miner keeps, passwords hidden')
    .argument('<ip>', 'its address');
  addAccessOptions(command)
    .addHelpText('after', '\nExamples:\n  $ pithead log 10.31.0.17\n  $ pithead log 10.31.0.17 | grep -i error')
    .action(async (ip: string, flags: AccessFlags) => {
      singleAddress(ip);
      const text = await throughRunning(flags, context, {
        ask: (agent) => agent.log(ip, context.signal),
        alone: (config) => logOnce({ config, ip }, context.signal),
      });
      context.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    });
}

function toJson({ ip, status, driver, driverOrigin, identity, reading, failedAsks, elapsedMs, known, sample }: Found) {
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

function describe(found: Found, paint: Paint, width: number | undefined): string {
  const { reading } = found;
  if (found.known !== undefined)
    return `${paint('bold', found.ip)}  ${paint('red', silenceOf(found, found.known))}\n${silenceAdvice(found, found.known)}\n`;
  const head = `${paint('bold', found.ip)}  ${found.status.replace('_', ' ')}${found.driver === undefined ? '' : `  driver ${found.driver}${originOf(found)}`}\n`;
  if (found.status === 'likely')
    return `${head}${ADVICE.likely} If it is yours: pithead trust accept ${found.ip} --as ${found.driver}\n`;
  if (reading === undefined) return `${head}${found.isMute ? MUTE : ADVICE[found.status]}\n`;
  const sections = [
    ...[facts, boards, fans, psus, pools].map((section) => section(reading, width)),
    errors(reading, paint),
  ];
  const failed = (found.failedAsks ?? []).map(({ ask, message }) =>
    paint('yellow', `not answered: ${ask}: ${message}`),
  );
  return `${[head, ...sections.filter((section) => section !== ''), ...failed].join('\n')}\n`;
}

/** Of a driver that is no part of the program. */
const originOf = ({ driverOrigin }: Found) => (driverOrigin === undefined ? '' : ` (of ${driverOrigin})`);

/** A device without a driver of its own: how its owner can help. */
function invite({ sample, known }: Found): string {
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

/** Nothing where the miner says nothing of it. */
function list<T>(
  columns: Readonly<Record<string, (item: T) => Cell>>,
  items: readonly T[] = [],
  width: number | undefined,
): string {
  const asColumns = Object.entries(columns).map(([title, text]): Column<T> => ({ title, text }));
  return items.length === 0 ? '' : `${table(asColumns, items, { width })}\n`;
}

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
  return list(columns, boards, width);
}

function fans({ fans }: Reading, width: number | undefined): string {
  const columns = {
    fan: (fan: FanReading) => fan.index,
    rpm: (fan: FanReading) => formatNumber(fan.rpm, ''),
    duty: (fan: FanReading) => formatNumber(fan.dutyPercent, '%'),
  };
  return list(columns, fans, width);
}

function psus({ psus }: Reading, width: number | undefined): string {
  const columns = {
    PSU: (psu: PsuReading) => formatText(psu.model),
    'serial number': (psu: PsuReading) => formatText(psu.serialNumber),
    temperature: (psu: PsuReading) => formatNumber(psu.tempC, '°C'),
    output: (psu: PsuReading) => formatNumber(psu.outputPowerW, 'W'),
  };
  return list(columns, psus, width);
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
  return list(columns, pools, width);
}

function errors({ errors }: Reading, paint: Paint): string {
  return (errors ?? [])
    .map((error) => paint('red', `error ${error.code} (${error.category}): ${error.message ?? 'no text'}`))
    .join('\n');
}

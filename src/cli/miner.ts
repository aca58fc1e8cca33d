// `pithead miner <ip>`: everything one miner says, right now, straight from the device.

import Table from 'cli-table3';
import type { Command } from 'commander';
import { type Found, lookOnce, singleAddress } from '../agent/once.ts';
import type { Reading } from '../model/reading.ts';
import { CommandFailed } from './exit.ts';
import { formatHashrate, formatModel, formatNumber, formatText, formatUptime, UNKNOWN } from './format.ts';
import { type AccessFlags, addAccessOptions, readAccessConfig } from './options.ts';
import { throughRunning } from './running.ts';
import { type CliContext, type Paint, painter } from './terminal.ts';

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
        alone: () => lookOnce({ config: readAccessConfig(flags, context.environment), ip }, context.signal),
      });
      if (flags.json) context.stdout.write(`${JSON.stringify(toJson(found), null, 2)}\n`);
      else context.stdout.write(`${describe(found, painter(context.stdout))}${invite(found)}`);
      if (found.status !== 'identified' && found.status !== 'login_refused') throw new CommandFailed('');
    });
}

function toJson({ ip, status, driver, identity, reading, failedAsks, elapsedMs, sample }: Found) {
  return {
    ip,
    status,
    driver: driver ?? null,
    identity: identity ?? null,
    reading: reading ?? null,
    failed_asks: failedAsks ?? [],
    elapsed_ms: elapsedMs ?? null,
    sample: sample ?? null,
  };
}

function describe(found: Found, paint: Paint): string {
  const { reading } = found;
  const head = `${paint('bold', found.ip)}  ${found.status.replace('_', ' ')}${found.driver === undefined ? '' : `  driver ${found.driver}`}\n`;
  if (reading === undefined) return `${head}${advice(found)}\n`;
  const sections = [
    facts(reading),
    boards(reading),
    fans(reading),
    psus(reading),
    pools(reading),
    errors(reading, paint),
  ];
  const failed = (found.failedAsks ?? []).map(({ ask, message }) =>
    paint('yellow', `not answered: ${ask}: ${message}`),
  );
  return `${[head, ...sections.filter((section) => section !== ''), ...failed].join('\n')}\n`;
}

/** A device without a driver of its own: how its owner can help. */
function invite({ sample }: Found): string {
  if (sample === undefined) return '';
  return `\nPithead has no driver for this device yet. This sample would help us to write one; passwords, wallets, workers, addresses and serial\nnumbers are removed, but look at it before you send it:\n\n${sample}\n`;
}

function advice({ status }: Found): string {
  switch (status) {
    case 'silent':
    case 'missing':
      return 'Nothing came back from this address. Is it powered, is the address right, is this host in the same network?';
    case 'closed':
      return 'The host is up, but every port that a miner would use is closed.';
    case 'unknown':
      return 'Something answers, but no driver knows it.';
    case 'login_refused':
      return 'The miner refuses the login: set its password in the configuration (credentials.logins).';
    case 'identified':
      return 'It was recognised, but then gave no answer: try again.';
  }
}

function facts(reading: Reading): string {
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
  return table([], rows);
}

function boards({ boards, expected }: Reading): string {
  if (boards === undefined || boards.length === 0) return '';
  const chips = (actual: number | undefined) =>
    `${actual ?? UNKNOWN}${expected?.chipsPerBoard === undefined ? '' : ` / ${expected.chipsPerBoard}`}`;
  return table(
    ['board', 'serial number', 'hashrate', 'chips', 'frequency', 'board °C', 'chip max °C', 'HW errors'],
    boards.map((board) => [
      String(board.slot),
      formatText(board.serialNumber),
      formatHashrate(board.hashrateHs),
      chips(board.chips),
      formatNumber(board.frequencyMhz, 'MHz'),
      formatText(board.boardTempsC?.join(' ')),
      formatNumber(board.chipTempMaxC, ''),
      String(board.hwErrors ?? UNKNOWN),
    ]),
  );
}

function fans({ fans }: Reading): string {
  if (fans === undefined || fans.length === 0) return '';
  return table(
    ['fan', 'rpm', 'duty'],
    fans.map((fan) => [String(fan.index), formatNumber(fan.rpm, ''), formatNumber(fan.dutyPercent, '%')]),
  );
}

function psus({ psus }: Reading): string {
  if (psus === undefined || psus.length === 0) return '';
  return table(
    ['PSU', 'serial number', 'temperature', 'output'],
    psus.map((psu) => [
      formatText(psu.model),
      formatText(psu.serialNumber),
      formatNumber(psu.tempC, '°C'),
      formatNumber(psu.outputPowerW, 'W'),
    ]),
  );
}

function pools({ pools }: Reading): string {
  if (pools === undefined || pools.length === 0) return '';
  return table(
    ['pool', 'worker', 'state', 'accepted', 'rejected', 'stale'],
    pools.map((pool) => [
      pool.url,
      pool.user,
      pool.isActive === true ? 'active' : pool.isAlive === true ? 'alive' : pool.isAlive === false ? 'dead' : UNKNOWN,
      String(pool.accepted ?? UNKNOWN),
      String(pool.rejected ?? UNKNOWN),
      String(pool.stale ?? UNKNOWN),
    ]),
  );
}

function errors({ errors }: Reading, paint: Paint): string {
  return (errors ?? [])
    .map((error) => paint('red', `error ${error.code} (${error.category}): ${error.message ?? 'no text'}`))
    .join('\n');
}

function table(head: string[], rows: string[][]): string {
  const printed = new Table({ head, style: { head: [], border: [], compact: true } });
  printed.push(...rows);
  return printed.toString();
}

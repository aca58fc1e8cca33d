// `pithead scan`: the miners in address ranges, without service, agent or state; an agent that watches the ranges does
// the scan. People get a sorted table at the end, programs a line per miner at once (JSON, CSV). Every address is
// counted, at the end.
import type { Command } from 'commander';
import type { Found } from '../../../agent/capture/found.ts';
import { rangesOrThrow } from '../../../agent/standalone/reach.ts';
import { scanOnce } from '../../../agent/standalone/scan.ts';
import { parseIpv4 } from '../../../base/net/ipv4.ts';
import type { ScanAccount } from '../../../model/contact.ts';
import { normaliseMac } from '../../../model/identity-facts.ts';
import { addServerOptions, namesServer } from '../../connection/connection.ts';
import { csvLine } from '../../output/csv.ts';
import { CommandFailed, EXIT } from '../../output/exit.ts';
import { formatHashrate, formatModel, formatNumber, formatText } from '../../output/format.ts';
import { type Column, screenWidth, table } from '../../output/table.ts';
import { type CliContext, painter, withProgress } from '../../output/terminal.ts';
import { addAccessOptions } from '../access-options.ts';
import { throughRunning } from '../running-agent.ts';
import { silenceOf } from '../silence.ts';
import { toSummary, writeAccount } from './account.ts';
import { type ScanFlags, scanElsewhere } from './elsewhere.ts';

export function addScan(program: Command, context: CliContext): void {
  const command = program
    .command('scan')
    .description('find the miners in address ranges; nothing outside the ranges is touched')
    .argument(
      '<ranges...>',
      'addresses (10.0.0.5), CIDR (10.0.0.0/24), hyphen ranges (10.0.0.1-10.0.0.50 or 10.0.0.1-50)',
    )
    .option('--json', 'one JSON object per line: each miner, then {"summary": …}')
    .option('--csv', 'comma-separated values with a header line')
    .option('--exclude <ranges...>', 'addresses and ranges to leave out');
  addServerOptions(addAccessOptions(command))
    .addHelpText(
      'after',
      `
Where an agent runs on this host that watches these ranges, it scans them, ahead of its own scans, and never asks a miner twice at once.
With --server and --key-file, or PITHEAD_URL and PITHEAD_KEY, the agents of the farm that watch these ranges scan them.

Examples:
  $ pithead scan 10.31.0.0/22
  $ pithead scan 10.31.0.1-200 10.31.4.0/24 --exclude 10.31.0.1
  $ pithead scan 10.31.0.0/22 --json > found.jsonl
  $ pithead scan 10.31.0.0/22 --server https://pithead.example --key-file key`,
    )
    .action((ranges: string[], flags: ScanFlags) => runScanCommand(ranges, flags, context));
}

async function runScanCommand(written: readonly string[], flags: ScanFlags, context: CliContext): Promise<void> {
  const asked = { ranges: written, exclude: flags.exclude ?? [] };
  rangesOrThrow(asked.ranges, asked.exclude);
  if (namesServer(flags, context)) return scanElsewhere(asked.ranges, flags, context);
  const printer = flags.json ? jsonPrinter(context) : flags.csv ? csvPrinter(context) : tablePrinter(context);
  let account: ScanAccount | undefined;
  try {
    account = await withProgress(context, 'scanning', ({ update }) => {
      const listener = {
        onUnderstood: (text: string) => void context.stderr.write(`${text}\n`),
        onFound: printer.found,
        onProgress: (done: number, total: number, found: number) => update(done, total, `${found} miners`),
      };
      return throughRunning(flags, context, {
        ask: (agent) => agent.scan(asked, listener, context.signal),
        alone: (config) => scanOnce({ config, ...asked }, listener, context.signal),
      });
    });
  } finally {
    printer.end(account);
  }
  if (account.isCancelled) throw new CommandFailed('stopped before the end; what was found is above', EXIT.interrupted);
}

/**
 * `end` is called once, after the last `found`. Without an account the scan broke, and only what was found before
 * counts.
 */
type Printer = { found(found: Found): void; end(account: ScanAccount | undefined): void };

/** The stable field names of a found miner, as `scan --json` prints them: H/s, W, degrees Celsius, seconds. */
function toRow({ ip, status, openPorts, driver, driverOrigin, identity, reading, known }: Found) {
  return {
    ip,
    status,
    driver: driver ?? known?.driver ?? null,
    /** The file of that driver; null = it is part of the program. */
    driver_origin: driverOrigin ?? null,
    make: reading?.make ?? identity?.make ?? known?.make ?? null,
    model: reading?.model ?? identity?.model ?? known?.model ?? null,
    firmware_version: reading?.firmwareVersion ?? identity?.firmwareVersion ?? null,
    mac: normaliseMac(reading?.mac ?? identity?.mac ?? '') ?? null,
    serial_number: reading?.serialNumber ?? identity?.serialNumber ?? null,
    hostname: reading?.hostname ?? null,
    hashrate: reading?.hashrateHs ?? null,
    expected_hashrate: reading?.expected?.hashrateHs ?? null,
    power: reading?.powerW ?? null,
    temp: reading?.tempC ?? null,
    uptime: reading?.uptimeS ?? reading?.systemUptimeS ?? null,
    mining_mode: reading?.miningMode ?? null,
    open_ports: [...openPorts],
    /** When a known miner that cannot be read now was last read. */
    silent_since: known?.since ?? null,
  };
}

function jsonPrinter({ stdout }: CliContext): Printer {
  const print = (value: object) => void stdout.write(`${JSON.stringify(value)}\n`);
  return {
    found: (found) => print(toRow(found)),
    end: (account) => account && print({ summary: toSummary(account) }),
  };
}

/** The account goes to stderr: what is read by a program is miners and nothing else. */
function csvPrinter({ stdout, stderr }: CliContext): Printer {
  let hasHeader = false;
  return {
    found(found) {
      const row = toRow(found);
      if (!hasHeader) stdout.write(`${csvLine(Object.keys(row))}\n`);
      hasHeader = true;
      stdout.write(`${csvLine(Object.values(row).map((cell) => (Array.isArray(cell) ? cell.join(' ') : cell)))}\n`);
    },
    end: (account) => account && writeAccount(account, stderr),
  };
}

/** Sentences about single miners; the table has them all. */
const MAX_SILENT = 20;

type Row = ReturnType<typeof toRow>;

const COLUMNS: readonly Column<Row>[] = [
  { title: 'IP', isWhole: true, text: ({ ip }) => ip },
  { title: 'STATUS', text: ({ status }) => status.replace('_', ' '), under: 'IP' },
  {
    title: 'MODEL',
    text: (row) =>
      row.driver === null && row.status === 'unknown'
        ? `ports ${row.open_ports.join(', ')}`
        : formatModel(row.make, row.model),
  },
  { title: 'HASHRATE', align: 'right', isWhole: true, text: ({ hashrate }) => formatHashrate(hashrate) },
  { title: 'POWER', align: 'right', text: ({ power }) => formatNumber(power, 'W'), under: 'HASHRATE' },
  { title: 'TEMP', align: 'right', isWhole: true, text: ({ temp }) => formatNumber(temp, '°C') },
  { title: 'MAC', isWhole: true, text: ({ mac }) => formatText(mac) },
  { title: 'SERIAL', text: (row) => formatText(row.serial_number), under: 'MAC' },
  { title: 'FIRMWARE', text: (row) => formatText(row.firmware_version), under: 'MODEL' },
];

function tablePrinter({ stdout }: CliContext): Printer {
  const rows: Row[] = [];
  const silent: string[] = [];
  const paint = painter(stdout);
  const paintRow = ({ status, hashrate }: Row, text: string) =>
    status !== 'identified' ? paint('yellow', text) : hashrate === 0 ? paint('red', text) : text;
  return {
    found(found) {
      rows.push(toRow(found));
      if (found.known !== undefined) silent.push(silenceOf(found, found.known));
    },
    end(account) {
      const sorted = rows.toSorted((a, b) => (parseIpv4(a.ip) ?? 0) - (parseIpv4(b.ip) ?? 0));
      const paintHead = (text: string) => paint('bold', text);
      if (sorted.length > 0)
        stdout.write(`${table(COLUMNS, sorted, { width: screenWidth(stdout), paintHead, paintRow })}\n\n`);
      for (const line of originLines(sorted)) stdout.write(`${line}\n`);
      for (const line of silent.slice(0, MAX_SILENT)) stdout.write(`${paint('yellow', line)}\n`);
      if (silent.length > MAX_SILENT) stdout.write(`and ${silent.length - MAX_SILENT} more such miners: see above\n`);
      if (account !== undefined) writeAccount(account, stdout);
    },
  };
}

/** Which of the drivers are files of this host. */
function originLines(rows: readonly Row[]): string[] {
  const byOrigin = Map.groupBy(
    rows,
    ({ driver, driver_origin }) => driver_origin && `driver ${driver}, of ${driver_origin}`,
  );
  return [...byOrigin].flatMap(([line, found]) => (line === null ? [] : [`read by ${line}: ${found.length}`]));
}

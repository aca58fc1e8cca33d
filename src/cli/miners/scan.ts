// `pithead scan`: the miners in address ranges, without service, agent or state; an agent that watches the ranges does
// the scan. People get a sorted table at the end, programs a line per miner at once (JSON, CSV). Every address is
// counted, at the end.
import type { Command } from 'commander';
import { stringify } from 'csv-stringify/sync';
import type { Found } from '../../agent/capture/found.ts';
import { rangesOrThrow } from '../../agent/standalone/reach.ts';
import { scanOnce } from '../../agent/standalone/scan.ts';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import { formatDurationMs } from '../../base/time/duration.ts';
import { classesOf, type ScanAccount } from '../../model/contact.ts';
import { normaliseMac } from '../../model/identity-facts.ts';
import { visibleText } from '../../model/plain-text.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { formatHashrate, formatModel, formatNumber, formatText } from '../output/format.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import { type CliContext, painter, withProgress } from '../output/terminal.ts';
import { wrapped } from '../output/wrap.ts';
import { type AccessFlags, addAccessOptions } from './access-options.ts';
import { throughRunning } from './running-agent.ts';
import { silenceOf } from './silence.ts';

type Flags = AccessFlags & { json?: boolean; csv?: boolean; exclude?: string[] };

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
  addAccessOptions(command)
    .addHelpText(
      'after',
      `
Where an agent runs on this host that watches these ranges, it scans them, ahead of its own scans, and never asks a miner twice at once.

Examples:
  $ pithead scan 10.31.0.0/22
  $ pithead scan 10.31.0.1-200 10.31.4.0/24 --exclude 10.31.0.1
  $ pithead scan 10.31.0.0/22 --json > found.jsonl`,
    )
    .action((ranges: string[], flags: Flags) => runScanCommand(ranges, flags, context));
}

async function runScanCommand(written: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const asked = { ranges: written, exclude: flags.exclude ?? [] };
  rangesOrThrow(asked.ranges, asked.exclude);
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

function toSummary(account: ScanAccount) {
  return {
    addresses: account.addresses,
    excluded: account.excluded,
    ...account.counts,
    likely: account.likely ?? {},
    accept: acceptLines(account),
    not_reached: account.notReached,
    elapsed_ms: Math.round(account.elapsedMs),
    cancelled: account.isCancelled,
    notes: account.notes ?? [],
  };
}

function jsonPrinter({ stdout }: CliContext): Printer {
  const print = (value: object) => void stdout.write(`${JSON.stringify(value)}\n`);
  return {
    found: (found) => print(toRow(found)),
    end: (account) => account && print({ summary: toSummary(account) }),
  };
}

/** A cell that a spreadsheet would run as a formula is quoted with an apostrophe. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return stringify([cells.map((cell) => (typeof cell === 'string' ? visibleText(cell).trim() : cell))], {
    eof: false,
    escape_formulas: true,
  });
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

function writeAccount(account: ScanAccount, stream: NodeJS.WriteStream): void {
  const width = screenWidth(stream);
  for (const line of accountLines(account)) stream.write(`${wrapped(line, width)}\n`);
}

/** Notes first, then every address in exactly one class. */
function accountLines(account: ScanAccount): string[] {
  const parts = classesOf(account).map(({ status, count }) => `${count} ${status.replace('_', ' ')}`);
  if (account.excluded > 0) parts.push(`${account.excluded} excluded`);
  if (account.notReached > 0) parts.push(`${account.notReached} not reached`);
  const likely = Object.entries(account.likely ?? {}).map(
    ([driver, members]) => `likely ${driver}: ${members}; without a proof, so if they are yours: ${acceptLine(driver)}`,
  );
  const count = `${account.addresses} address${account.addresses === 1 ? '' : 'es'}`;
  return [
    ...likely,
    ...(account.notes ?? []),
    `${count} in ${formatDurationMs(account.elapsedMs)}: ${parts.join(', ')}`,
  ];
}

/** What a person sends who knows that the likely ones are what they look like. */
const acceptLine = (driver: string) => `pithead trust accept --all --as ${driver}`;
const acceptLines = ({ likely = {} }: ScanAccount) => Object.keys(likely).map(acceptLine);

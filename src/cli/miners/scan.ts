// `pithead scan`: which miners are in these ranges. Needs no service, no agent, no state; where an agent runs that watches these ranges, it scans.
// What is found is printed as it comes, and at the end every address is accounted for.
import type { Command } from 'commander';
import { stringify } from 'csv-stringify/sync';
import type { Found } from '../../agent/capture/found.ts';
import { rangesOrThrow } from '../../agent/standalone/reach.ts';
import { scanOnce } from '../../agent/standalone/scan.ts';
import { formatDurationMs } from '../../base/time/duration.ts';
import { CONTACT_STATUSES, type ScanAccount } from '../../model/contact.ts';
import { normaliseMac } from '../../model/identity-facts.ts';
import { visibleText } from '../../model/plain-text.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { formatHashrate, formatModel, formatNumber, formatText } from '../output/format.ts';
import { type Column, headerLine, rowLine } from '../output/table.ts';
import { type CliContext, type Paint, painter, withProgress } from '../output/terminal.ts';
import { type AccessFlags, addAccessOptions } from './access-options.ts';
import { throughRunning } from './running-agent.ts';

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
  const paint = painter(context.stdout);
  const toPrinter = flags.json ? jsonPrinter : flags.csv ? csvPrinter : tablePrinter;
  const { print, account } = await withProgress(context, 'scanning', async ({ update, line }) => {
    const print = toPrinter(line, paint);
    const listener = {
      onUnderstood: (text: string) => void context.stderr.write(`${text}\n`),
      onFound: print.found,
      onProgress: (done: number, total: number, found: number) => update(done, total, `${found} miners`),
    };
    const account = await throughRunning(flags, context, {
      ask: (agent) => agent.scan(asked, listener, context.signal),
      alone: (config) => scanOnce({ config, ...asked }, listener, context.signal),
    });
    return { print, account };
  });
  print.account(account);
  if (account.isCancelled) throw new CommandFailed('stopped before the end; what was found is above', EXIT.interrupted);
}

type Printer = { found(found: Found): void; account(account: ScanAccount): void };
type Line = (text: string) => void;

/** The stable field names of a found miner, as `scan --json` prints them: H/s, W, degrees Celsius, seconds. */
function toRow({ ip, status, openPorts, driver, identity, reading }: Found) {
  return {
    ip,
    status,
    driver: driver ?? null,
    make: reading?.make ?? identity?.make ?? null,
    model: reading?.model ?? identity?.model ?? null,
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
  };
}

function toSummary(account: ScanAccount) {
  return {
    addresses: account.addresses,
    excluded: account.excluded,
    ...account.counts,
    not_reached: account.notReached,
    elapsed_ms: Math.round(account.elapsedMs),
    cancelled: account.isCancelled,
    notes: account.notes ?? [],
  };
}

function jsonPrinter(line: Line): Printer {
  return {
    found: (found) => line(JSON.stringify(toRow(found))),
    account: (account) => line(JSON.stringify({ summary: toSummary(account) })),
  };
}

/** A cell that a spreadsheet would run as a formula is quoted with an apostrophe. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return stringify([cells.map((cell) => (typeof cell === 'string' ? visibleText(cell).trim() : cell))], {
    eof: false,
    escape_formulas: true,
  });
}

function csvPrinter(line: Line): Printer {
  let hasHeader = false;
  return {
    found(found) {
      const row = toRow(found);
      if (!hasHeader) line(csvLine(Object.keys(row)));
      hasHeader = true;
      line(csvLine(Object.values(row).map((cell) => (Array.isArray(cell) ? cell.join(' ') : cell))));
    },
    account() {},
  };
}

const COLUMNS: readonly Column<ReturnType<typeof toRow>>[] = [
  { title: 'IP', width: 15, text: ({ ip }) => ip },
  { title: 'STATUS', width: 13, text: ({ status }) => status.replace('_', ' ') },
  {
    title: 'MODEL',
    width: 22,
    text: (row) => (row.status === 'unknown' ? `ports ${row.open_ports.join(', ')}` : formatModel(row.make, row.model)),
  },
  { title: 'FIRMWARE', width: 24, text: (row) => formatText(row.firmware_version) },
  { title: 'MAC', width: 17, text: ({ mac }) => formatText(mac) },
  { title: 'SERIAL', width: 20, text: (row) => formatText(row.serial_number) },
  { title: 'HASHRATE', width: 12, align: 'right', text: ({ hashrate }) => formatHashrate(hashrate) },
  { title: 'POWER', width: 7, align: 'right', text: ({ power }) => formatNumber(power, 'W') },
  { title: 'TEMP', width: 6, align: 'right', text: ({ temp }) => formatNumber(temp, '°C') },
];

function tablePrinter(line: Line, paint: Paint): Printer {
  let hasHeader = false;
  return {
    found(found) {
      if (!hasHeader) line(paint('bold', headerLine(COLUMNS)));
      hasHeader = true;
      const text = rowLine(COLUMNS, toRow(found));
      const isHashing = found.reading?.hashrateHs !== 0;
      line(found.status !== 'identified' ? paint('yellow', text) : isHashing ? text : paint('red', text));
    },
    account(account) {
      const parts = CONTACT_STATUSES.map((status) => `${account.counts[status]} ${status.replace('_', ' ')}`);
      if (account.excluded > 0) parts.push(`${account.excluded} excluded`);
      if (account.notReached > 0) parts.push(`${account.notReached} not reached`);
      line('');
      for (const note of account.notes ?? []) line(paint('yellow', note));
      const count = `${account.addresses} address${account.addresses === 1 ? '' : 'es'}`;
      line(`${count} in ${formatDurationMs(account.elapsedMs)}: ${parts.join(', ')}`);
    },
  };
}

// `pithead scan` from another computer, as people and programs see it: what each agent of the farm found.
import { lasting } from '../../acts/ways.ts';
import { type ConnectionFlags, mustHaveService, withConnection } from '../../connection/connection.ts';
import { csvLine } from '../../output/csv.ts';
import { CommandFailed, EXIT } from '../../output/exit.ts';
import { formatText } from '../../output/format.ts';
import { type Column, screenWidth, table } from '../../output/table.ts';
import { type CliContext, painter } from '../../output/terminal.ts';
import type { AccessFlags } from '../access-options.ts';
import { toSummary, writeAccount } from './account.ts';
import { type AgentScan, type ScannedAddress, scanByService } from './by-service.ts';

export type ScanFlags = AccessFlags & ConnectionFlags & { json?: boolean; csv?: boolean; exclude?: string[] };

export async function scanElsewhere(ranges: readonly string[], flags: ScanFlags, context: CliContext): Promise<void> {
  const { exclude, portMap, timeout, factoryDefaults } = flags;
  if (exclude !== undefined || portMap !== undefined || timeout !== undefined || factoryDefaults === false)
    throw new CommandFailed(
      '--exclude, --port-map, --timeout and --no-factory-defaults have no meaning for agents elsewhere: their configuration says this',
      EXIT.usage,
    );
  // After Ctrl-C the agents are asked to stop, and what they have found is shown.
  const scans = await withConnection(flags, lasting(context), (connection) =>
    scanByService(mustHaveService(connection, 'a scan'), ranges, context),
  );
  if (flags.csv) for (const line of addressLines(scans)) context.stdout.write(`${line}\n`);
  for (const scan of scans) showAgentScan(scan, flags, context);
  const [broken] = scans.filter(({ account }) => account === undefined);
  if (broken !== undefined) throw new CommandFailed(`${broken.agent}: ${formatText(broken.message ?? broken.status)}`);
  if (scans.some(({ account }) => account?.isCancelled))
    throw new CommandFailed('stopped before the end; what was found is above', EXIT.interrupted);
}

function showAgentScan({ agent, addresses, account }: AgentScan, { json, csv }: ScanFlags, context: CliContext): void {
  const { stdout, stderr } = context;
  const paint = painter(stdout);
  if (json) for (const address of addresses) stdout.write(`${JSON.stringify({ ...address, agent })}\n`);
  else if (!csv && addresses.length > 0) {
    const paintRow = ({ status }: ScannedAddress, text: string) =>
      status === 'identified' ? text : paint('yellow', text);
    const paintHead = (text: string) => paint('bold', text);
    stdout.write(`${table(ADDRESS_COLUMNS, addresses, { width: screenWidth(stdout), paintHead, paintRow })}\n\n`);
  }
  if (account === undefined) return;
  if (json) stdout.write(`${JSON.stringify({ summary: { ...toSummary(account), agent } })}\n`);
  else writeAccount(account, csv ? stderr : stdout, `${formatText(agent)}: `);
}

/** Of all agents together: one header line, where there is anything. */
function addressLines(scans: readonly AgentScan[]): string[] {
  const rows = scans.flatMap(({ agent, addresses }) => addresses.map((address) => ({ ...address, agent })));
  const [first] = rows;
  if (first === undefined) return [];
  const cellsOf = (row: typeof first) =>
    Object.values(row).map((cell) => (typeof cell === 'boolean' ? String(cell) : cell));
  return [Object.keys(first), ...rows.map(cellsOf)].map(csvLine);
}

const ADDRESS_COLUMNS: readonly Column<ScannedAddress>[] = [
  { title: 'IP', isWhole: true, text: ({ ip }) => ip },
  { title: 'STATUS', text: ({ status, is_new: isNew }) => `${status.replace('_', ' ')}${isNew ? ', new' : ''}` },
  { title: 'MODEL', text: ({ model }) => formatText(model) },
  { title: 'DRIVER', text: ({ driver }) => formatText(driver) },
  { title: 'WHAT TO DO', text: ({ advice }) => (advice === null ? '' : formatText(advice)), under: 'MODEL' },
];

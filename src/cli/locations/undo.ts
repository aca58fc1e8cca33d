// `pithead position undo`: puts the miners of one change of locations back. Without a name it takes the newest change
// that holds, and asks first.
import { confirm, isCancel } from '@clack/prompts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { countOf, formatTime, UNKNOWN } from '../output/format.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import type { CliContext } from '../output/terminal.ts';
import { type LocationFlags, moveLines, print, withLocations } from './location-options.ts';
import type { LocationChange } from './location-service.ts';

export type UndoFlags = LocationFlags & { list?: boolean; dryRun?: boolean; yes?: boolean };

export async function undo(id: string | undefined, flags: UndoFlags, context: CliContext): Promise<void> {
  await withLocations(flags, context, async (locations) => {
    if (flags.list) return listChanges(await locations.changes(), flags, context);
    const isDryRun = flags.dryRun === true;
    const wanted = id ?? (await newestOf(await locations.changes(), { ...flags, isDryRun }, context)).id;
    const { data, meta } = await locations.undo(wanted, isDryRun);
    print(flags, context, { ...meta, undoes: wanted, changes: data }, moveLines(data, isDryRun));
  });
}

/** The newest that was not undone, and is not itself an undo, if the person agrees. */
async function newestOf(
  changes: readonly LocationChange[],
  { isDryRun, yes }: { readonly isDryRun: boolean; readonly yes?: boolean },
  { stderr, signal }: CliContext,
): Promise<LocationChange> {
  const newest = changes.find(({ undoes, undone_by }) => undoes === null && undone_by === null);
  if (newest === undefined) throw new CommandFailed('there is no change that could be undone', EXIT.nothing);
  stderr.write(`${described(newest)}\n`);
  if (isDryRun || yes) return newest;
  if (!process.stdin.isTTY || !stderr.isTTY)
    throw new CommandFailed('add --yes to undo it, or name a change; --list shows them', EXIT.usage);
  const answer = await confirm({ output: stderr, signal, message: 'Undo this change?', initialValue: false });
  if (isCancel(answer) || !answer) throw new CommandFailed('nothing was undone');
  return newest;
}

const described = ({ at, actor, miner_count: count }: LocationChange): string =>
  `the change of ${formatTime(at)} by ${actor.name}: ${countOf(count, 'miner')}`;

const COLUMNS: readonly Column<LocationChange>[] = [
  { title: 'TIME', text: ({ at }) => formatTime(at), isWhole: true },
  { title: 'BY', text: ({ actor }) => actor.name },
  { title: 'MINERS', text: ({ miner_count: count }) => count, align: 'right' },
  { title: 'STATE', text: stateOf, under: 'BY' },
  { title: 'ID', text: ({ id }) => id, isWhole: true },
];

function stateOf({ undoes, undone_by: undoneBy }: LocationChange): string {
  if (undoneBy !== null) return 'undone';
  return undoes === null ? UNKNOWN : 'an undo';
}

function listChanges(changes: readonly LocationChange[], flags: UndoFlags, context: CliContext): void {
  const text = changes.length === 0 ? 'none' : table(COLUMNS, changes, { width: screenWidth(context.stdout) });
  print(flags, context, changes, [text]);
}

// `pithead miners`: which miners there are, how they are and where they stand, filtered, sorted, grouped, on a screen
// that stays, or in a file for programs and spreadsheets.
import type { Command } from 'commander';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import type { BoardMiner } from '../../model/board/board-miner.ts';
import { byAddress, byLocation } from '../../model/board/miner-order.ts';
import { parseSelector, type Selector, selectorText } from '../../model/selector/selector.ts';
import type { Board } from '../../wire/api/board/codec.ts';
import { askBoard } from '../connection/board-feed.ts';
import {
  addConnectionOptions,
  CONNECTION_HELP,
  type Connection,
  type ConnectionFlags,
  withConnection,
} from '../connection/connection.ts';
import { addSelector, readSelector, SELECTOR_HELP, type SelectorFlags } from '../connection/selection.ts';
import { readDuration, readWhole, withUsage, wrongOption } from '../options.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { screenWidth } from '../output/table.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { wrapped } from '../output/wrap.ts';
import { accountLine } from './list/account.ts';
import { columnHelp, readColumns, readSort } from './list/choices.ts';
import { EXPORTED, USUAL } from './list/columns.ts';
import { type Filter, type FilterFlags, readFilter } from './list/filters.ts';
import { GROUPINGS, type Grouping, groupJson, groupMiners } from './list/groups.ts';
import { groupText, type ListView, listText } from './list/view.ts';
import { minerJson } from './row/json.ts';

type Flags = ConnectionFlags &
  SelectorFlags &
  FilterFlags & {
    sort?: string;
    columns?: string;
    groupBy?: string;
    watch?: boolean;
    limit?: string;
    json?: boolean;
    csv?: boolean;
    xlsx?: string;
  };

const MOST = 1_000_000;

export function addMiners(program: Command, context: CliContext): void {
  const command = addSelector(program.command('miners'))
    .description('list miners: which are ill, where, why and since when')
    .option('--ill', 'only those with a flag, in the order of a walk')
    .option('--missing', 'only those that have not answered for an hour')
    .option('--new', 'only those that appeared within 24 h')
    .option('--since <duration>', 'with --missing: gone within; with --new: appeared within')
    .option('--sort <columns>', 'by these columns, for example -temp or rack,-rate')
    .option('--columns <columns>', 'show these columns; help lists them')
    .option('--group-by <what>', `a line per ${GROUPINGS.join(', ')}`)
    .option('--limit <n>', 'show at most so many')
    .option('--watch', 'stay on the screen, and follow each change; q ends it')
    .option('--json', 'one JSON object per line: H/s, W, degrees Celsius, seconds, times in UTC')
    .option('--csv', 'for a spreadsheet: rates in the unit of the algorithm, local time')
    .option('--xlsx <file>', 'the same as a workbook');
  addConnectionOptions(command)
    .addHelpText('after', HELP)
    .action((words: string[], flags: Flags) => run(words, flags, context));
}

const HELP = `${SELECTOR_HELP}
${CONNECTION_HELP}

Exit codes: 0 listed, 5 the selector matches no miner, 2 wrong usage.

Examples:
  $ pithead miners --ill
  $ pithead miners rack:C03 --columns location,address,worker,rate,temp --sort -temp
  $ pithead miners --missing --since 24h
  $ pithead miners --group-by rack
  $ pithead miners --ill --watch
  $ pithead miners model:s19 --xlsx s19.xlsx
  $ pithead miners --columns help`;

/** What is asked for, read and checked before anything is sent. */
type Asked = ListView & {
  readonly written: Selector;
  readonly select: string;
  readonly filter: Filter;
  readonly limit: number;
};

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  if (flags.columns === 'help') {
    context.stdout.write(`${columnHelp()}\n`);
    return;
  }
  const asked = await withUsage(() => readAsked(words, flags, context));
  await withConnection(flags, context, async (connection) => {
    if (flags.watch) await watchList(connection, asked, context);
    else await list(connection, asked, flags, context);
  });
}

async function readAsked(words: readonly string[], flags: Flags, { stdout }: CliContext): Promise<Asked> {
  const { groupBy, sort, columns, limit, since, ill } = flags;
  const ways = (['json', 'csv', 'xlsx', 'watch'] as const).filter((way) => flags[way] !== undefined);
  if (ways.length > 1) throw wrongOption(`--${ways[1]}`, `cannot be combined with --${ways[0]}`);
  if (flags.watch && !stdout.isTTY) throw wrongOption('--watch', 'needs a terminal: leave it out, or ask for --json');
  const isSheet = flags.csv === true || flags.xlsx !== undefined;
  const grouping = groupBy === undefined ? undefined : readGrouping(groupBy);
  if (grouping !== undefined && isSheet) throw wrongOption('--group-by', 'has no meaning for a spreadsheet');
  const filter = readFilter(flags, since === undefined ? undefined : readDuration('--since', since));
  const written = await readSelector(words, flags);
  return {
    ...{ written, filter, grouping },
    select: selectorText(withStates(written, filter, since !== undefined)),
    columns: readColumns(columns, isSheet ? EXPORTED : USUAL),
    compare: sort === undefined ? (ill ? byLocation : byAddress) : readSort(sort),
    limit: limit === undefined ? MOST : readWhole('--limit', limit, 1, MOST),
  };
}

function readGrouping(written: string): Grouping {
  const found = GROUPINGS.find((each) => each === written);
  if (found === undefined) throw wrongOption('--group-by', `'${written}' is none of ${GROUPINGS.join(', ')}`);
  return found;
}

function withStates(written: Selector, { states }: Filter, isDated: boolean): Selector {
  if (isDated && written.words.some(({ kind }) => kind === 'state'))
    throw wrongOption('--since', 'goes with --missing or --new alone, and not with state:');
  if (states.length === 0) return written;
  const read = parseSelector([...states.map((state) => `state:${state}`), selectorText(written)].join(' '));
  if (read.kind === 'wrong') throw wrongOption('selector', read.problems.join('; '));
  return read.selector;
}

const listedOf = (board: Board, { filter, compare }: Asked, nowMs: number): readonly BoardMiner[] =>
  [...board.rows.values()].filter((miner) => filter.isListed(miner, nowMs)).toSorted(compare);

async function list(connection: Connection, asked: Asked, flags: Flags, context: CliContext): Promise<void> {
  const { stderr } = context;
  const [board, total] = await Promise.all([askBoard(connection, asked.select), countAll(connection, asked)]);
  for (const { text, reason } of board.unmatched) stderr.write(`${text}: ${reason}\n`);
  const miners = listedOf(board, asked, systemClock.nowMs());
  if (board.rows.size === 0 && (await selectsNothing(connection, asked)))
    throw new CommandFailed('no miner matches', EXIT.nothing);
  const shown = miners.slice(0, asked.limit);
  await print(shown, asked, flags, context);
  if (board.lacks.length > 0)
    stderr.write(`not known here, because the service runs elsewhere: ${board.lacks.join(', ')}\n`);
  const account = `${accountLine(miners, total)}${shown.length < miners.length ? `; ${shown.length} are shown` : ''}`;
  stderr.write(`${wrapped(account, screenWidth(stderr))}\n`);
}

/** Whether what was written matches no miner, ill or well. */
async function selectsNothing(connection: Connection, { written, filter }: Asked) {
  if (written.isEmpty) return false;
  if (filter.states.length === 0) return true;
  return (await askBoard(connection, selectorText(written))).rows.size === 0;
}

const countedSchema = z.object({ pagination: z.object({ total: z.int() }) });

/** How many miners the farm has; undefined where the list is of all. */
async function countAll({ agent, service }: Connection, { select }: Asked): Promise<number | undefined> {
  if (select === '') return undefined;
  if (service === undefined) return (await agent?.state())?.miners.total;
  const { pagination } = await service.ask(countedSchema, { method: 'GET', path: '/miners?page_size=1' });
  return pagination.total;
}

async function print(
  miners: readonly BoardMiner[],
  asked: Asked,
  { json, csv, xlsx }: Flags,
  { stdout }: CliContext,
): Promise<void> {
  const { grouping, columns } = asked;
  const nowMs = systemClock.nowMs();
  const screen = { width: screenWidth(stdout), paint: painter(stdout), nowMs };
  const lines = (items: readonly unknown[]) =>
    void stdout.write(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  if (grouping !== undefined) {
    if (json) lines(groupMiners(miners, grouping, nowMs).map((group) => groupJson(grouping, group)));
    else write(stdout, groupText(grouping, miners, screen));
  } else if (json) lines(miners.map(minerJson));
  else if (csv || xlsx !== undefined) {
    const { listSheet, writeWorkbook } = await import('./list/sheet.ts');
    const { csvText } = await import('../../wire/api/sheet/encode.ts');
    const sheet = listSheet(columns, miners, nowMs);
    if (xlsx === undefined) stdout.write(csvText(sheet));
    else await writeWorkbook(xlsx, sheet).catch(cannotWrite(xlsx));
  } else write(stdout, listText(asked, miners, screen));
}

const write = (stream: NodeJS.WriteStream, text: string) => void (text === '' || stream.write(`${text}\n`));

const cannotWrite = (path: string) => (error: unknown) => {
  throw new CommandFailed(`cannot write ${path}: ${error instanceof Error ? error.message : 'no reason was given'}`);
};

async function watchList(connection: Connection, asked: Asked, context: CliContext): Promise<void> {
  const { watch } = await import('./list/watch.ts');
  const paint = painter(context.stdout);
  let board: Board | undefined;
  let total: number | undefined;
  let listed: readonly BoardMiner[] = [];
  await watch(
    {
      async read() {
        const had = board;
        // Where the answer does not fit what is here, the next one is whole.
        board = undefined;
        const next = await askBoard(connection, asked.select, { had });
        board = next;
        total ??= await countAll(connection, asked);
        // Order costs more than all else, and most seconds change nothing.
        if (next.seq !== had?.seq || next.epoch !== had.epoch) listed = listedOf(next, asked, systemClock.nowMs());
      },
      draw({ width, rows }) {
        const screen = { width, paint, nowMs: systemClock.nowMs() };
        const body =
          asked.grouping === undefined
            ? listText(asked, listed.slice(0, Math.min(rows, asked.limit)), screen)
            : groupText(asked.grouping, listed, screen);
        return { head: accountLine(listed, total), body };
      },
    },
    context,
  );
}

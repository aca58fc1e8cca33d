// The one miner that a selector means, for commands about one. Where several match they are listed, and nothing is
// done.
import { systemClock } from '../../base/clock.ts';
import type { BoardMiner } from '../../model/board/board-miner.ts';
import { byLocation } from '../../model/board/miner-order.ts';
import { askBoard } from '../connection/board-feed.ts';
import type { Connection } from '../connection/connection.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { screenWidth } from '../output/table.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { readColumns } from './list/choices.ts';
import { USUAL } from './list/columns.ts';
import { listText } from './list/view.ts';

const MOST_LISTED = 20;

/** Throws CommandFailed where none or several match. */
export async function theOne(connection: Connection, select: string, context: CliContext): Promise<BoardMiner> {
  const { rows, unmatched } = await askBoard(connection, select);
  if (rows.size > 0) return only([...rows.values()], context);
  for (const { text, reason } of unmatched) context.stderr.write(`${text}: ${reason}\n`);
  throw new CommandFailed('no miner matches', EXIT.nothing);
}

/** Undefined where none matches. */
export async function theOneOrNone(
  connection: Connection,
  select: string,
  context: CliContext,
): Promise<BoardMiner | undefined> {
  const { rows } = await askBoard(connection, select);
  return rows.size === 0 ? undefined : only([...rows.values()], context);
}

function only(miners: readonly BoardMiner[], { stderr }: CliContext): BoardMiner {
  const matches = miners.toSorted(byLocation);
  const [first, ...others] = matches;
  if (first !== undefined && others.length === 0) return first;
  const columns = readColumns('location,address,mac,serial,model', USUAL);
  const screen = { width: screenWidth(stderr), paint: painter(stderr), nowMs: systemClock.nowMs() };
  const more = matches.length - MOST_LISTED;
  stderr.write(`${listText({ columns }, matches.slice(0, MOST_LISTED), screen)}\n`);
  if (more > 0) stderr.write(`and ${more} more\n`);
  throw new CommandFailed(`${matches.length} miners match: name one of them`, EXIT.usage);
}

// `pithead pools show`: the pools that miners have, asked of the miners by way of the agent of this host, else as the
// service knows them. It changes nothing.
import type { Command } from 'commander';
import pLimit from 'p-limit';
import { z } from 'zod';
import { renderError } from '../../../base/errors.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { minerDocumentSchema } from '../../../model/miner.ts';
import {
  addConnectionOptions,
  CONNECTION_HELP,
  type Connection,
  type ConnectionFlags,
} from '../../connection/connection.ts';
import { addSelector, readSelector, SELECTOR_HELP, type SelectorFlags } from '../../connection/selection.ts';
import { CommandFailed, EXIT } from '../../output/exit.ts';
import { formatText } from '../../output/format.ts';
import { type Column, screenWidth, table } from '../../output/table.ts';
import { type CliContext, painter } from '../../output/terminal.ts';
import { locationOf } from '../show/outlook.ts';
import { mustName, withSelection } from '../ways.ts';

type Flags = ConnectionFlags & SelectorFlags & { json?: boolean };

type ShownPool = { readonly url: string; readonly worker: string; readonly state: string | null };
type Shown = { readonly miner: BoardMiner; readonly pools: readonly ShownPool[]; readonly problem: string | null };

const AT_ONCE = 8;

export function addPoolsShow(group: Command, context: CliContext): void {
  const command = group.command('show').description('show the pools and workers of miners');
  addConnectionOptions(addSelector(command))
    .option('--json', 'one JSON object per line and miner')
    .addHelpText(
      'after',
      `${CONNECTION_HELP}\n${SELECTOR_HELP}\n\nExamples:\n  $ pithead pools show rack:C03\n  $ pithead pools show pool:old.example --json`,
    )
    .action((words: string[], flags: Flags) => show(words, flags, context));
}

async function show(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const selector = await readSelector(words, flags);
  mustName(selector);
  const shown = await withSelection(selector, flags, context, async (connection, { miners, unmatched }) => {
    for (const { text, reason } of unmatched) context.stderr.write(`${text}: ${reason}\n`);
    if (miners.length === 0) throw new CommandFailed('no miner matches', EXIT.nothing);
    const limit = pLimit(AT_ONCE);
    return Promise.all(miners.map((miner) => limit(() => poolsOf(connection, miner, context.signal))));
  });
  const line = (text: string) => context.stdout.write(`${text}\n`);
  if (flags.json)
    for (const { miner, pools, problem } of shown)
      line(
        JSON.stringify({ ip: miner.ip, mac: miner.mac, rack: miner.rack, position: miner.position, pools, problem }),
      );
  else {
    const paint = painter(context.stdout);
    const options = { width: screenWidth(context.stdout), paintHead: (text: string) => paint('bold', text) };
    line(table(COLUMNS, shown.flatMap(rowsOf), options));
  }
  if (shown.some(({ problem }) => problem !== null)) throw new CommandFailed('');
}

async function poolsOf({ agent, service }: Connection, miner: BoardMiner, signal: AbortSignal): Promise<Shown> {
  try {
    signal.throwIfAborted();
    const pools = agent === undefined ? await fromService(service, miner) : await fromMiner(agent, miner, signal);
    return { miner, pools: pools ?? [], problem: pools === undefined ? 'it does not show its pools' : null };
  } catch (error) {
    if (signal.aborted) throw new CommandFailed('', EXIT.interrupted);
    return { miner, pools: [], problem: renderError(error) };
  }
}

async function fromMiner(
  agent: NonNullable<Connection['agent']>,
  { ip }: BoardMiner,
  signal: AbortSignal,
): Promise<ShownPool[] | undefined> {
  const { reading, status } = await agent.look(ip, signal);
  if (reading === undefined) throw new CommandFailed(`it does not answer (${status.replace('_', ' ')})`);
  return reading.pools?.map(({ url, user, isActive, isAlive }) => ({
    ...{ url, worker: user },
    state: isActive === true ? 'active' : isAlive === true ? 'alive' : isAlive === false ? 'dead' : null,
  }));
}

const minerAnswer = z.object({ data: minerDocumentSchema.pick({ pools: true }).loose() });

async function fromService(service: NonNullable<Connection['service']>, { id }: BoardMiner): Promise<ShownPool[]> {
  const { data } = await service.ask(minerAnswer, { method: 'GET', path: `/miners/${id}` });
  return data.pools.map(({ url, worker_id: worker }) => ({ url, worker, state: null }));
}

type Row = { readonly miner: BoardMiner; readonly pool: ShownPool | undefined; readonly problem: string | null };

const rowsOf = ({ miner, pools, problem }: Shown): Row[] =>
  pools.length === 0 ? [{ miner, pool: undefined, problem }] : pools.map((pool) => ({ miner, pool, problem }));

const COLUMNS: readonly Column<Row>[] = [
  { title: 'MINER', isWhole: true, text: ({ miner }) => miner.ip },
  { title: 'LOCATION', text: ({ miner }) => locationOf(miner), under: 'MINER' },
  { title: 'STATE', text: ({ pool }) => formatText(pool?.state) },
  { title: 'POOL', text: ({ pool, problem }) => (pool === undefined ? problem : formatText(pool.url)) },
  { title: 'WORKER', text: ({ pool }) => formatText(pool?.worker), under: 'POOL' },
];

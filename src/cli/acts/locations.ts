// Where miners stand, for pools whose workers name it: an agent whose service is elsewhere does not know. Asks the
// service that the environment names, else refuses, before anything is sent.
import { PeerError, renderError } from '../../base/errors.ts';
import { locationFactsOf, requestedPoolsSchema } from '../../model/pools/requested-pools.ts';
import { lackingText } from '../../model/pools/resolve-pools.ts';
import { askBoard } from '../connection/board-feed.ts';
import { type ConnectionFlags, HOW_ELSEWHERE, withServiceBeside } from '../connection/connection.ts';
import type { Selection } from '../connection/selection.ts';
import { CommandFailed } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { candidatesFor, isAddress, poolFactsOf } from './candidates.ts';
import type { Params } from './verbs/params.ts';

/**
 * The selection with the location of each miner, where the workers need it. Throws CommandFailed that names the miners
 * whose location is not known.
 */
export async function addLocations(
  params: Params,
  selection: Selection,
  flags: ConnectionFlags,
  context: CliContext,
): Promise<Selection> {
  const facts = locationFactsOf(requestedPoolsSchema.safeParse(params.pools).data ?? []);
  if (facts.length === 0) return selection;
  const braces = facts.map((fact) => `{${fact}}`);
  const nothingSent = `nothing was sent: the workers need ${braces.join(' and ')}`;
  const strangers = selection.unmatched.flatMap(({ text }) => (isAddress(text) ? [text] : []));
  if (strangers.length > 0) throw new CommandFailed(`${nothingSent}, and no known miner is at ${strangers.join(', ')}`);
  // The agent looks at what the service knows of each, and refuses what is lacking.
  if (!selection.lacks.includes('rack')) return selection;
  const located = await locatedBeside(selection, flags, context);
  const { miners } = candidatesFor('miner.pool.update', located.miners);
  const lacking = lackingText([{ url: '', user: braces.join('') }], miners.map(poolFactsOf));
  if (lacking === undefined) return located;
  const how = located.lacks.includes('rack') ? `, which only the service knows: ${HOW_ELSEWHERE}` : '';
  throw new CommandFailed(`${nothingSent}${how}\n${lacking}`);
}

/** Agents know a miner by the key that they have given it, and so does the service that they report to. */
const locatedBeside = (selection: Selection, flags: ConnectionFlags, context: CliContext): Promise<Selection> =>
  withServiceBeside(flags, context, async (service) => {
    if (service === undefined) return selection;
    const { miners } = await askBoard({ agent: undefined, service }, '', { withKeys: true });
    const byKey = new Map(miners.map((miner) => [miner.key, miner]));
    context.stderr.write(`locations are those of ${service.name}\n`);
    const located = selection.miners.map((miner) => {
      const { container = null, rack = null, position = null } = byKey.get(miner.key) ?? {};
      return { ...miner, container, rack, position };
    });
    return { ...selection, miners: located, lacks: [] };
  }).catch((error: unknown) => {
    if (!(error instanceof PeerError)) throw error;
    context.stderr.write(`${renderError(error)}\n`);
    return selection;
  });

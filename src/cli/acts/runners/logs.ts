// Reads the whole log of each miner by way of the agent of this host, a few at a time. It changes nothing.
import pLimit from 'p-limit';
import type { RunningAgent } from '../../../agent/control/control-client.ts';
import { renderError } from '../../../base/errors.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import type { Selection } from '../../connection/selection.ts';
import { candidatesFor, shownMiner } from '../candidates.ts';
import type { ActRunner, ActStep } from './runner.ts';

const AT_ONCE = 4;

/** The text of each is in the evidence of its last step. `agent` is closed by its owner. */
export function logRunner(
  agent: Pick<RunningAgent, 'log'>,
  selection: Pick<Selection, 'miners' | 'unmatched'>,
): ActRunner {
  const { miners, leftOut } = candidatesFor('miner.log.get', selection.miners);
  const read = async ({ ip }: BoardMiner, signal: AbortSignal): Promise<ActStep> => {
    if (signal.aborted) return { ip, status: 'cancelled', message: 'cancelled before it was asked', evidence: {} };
    try {
      const text = await agent.log(ip, signal);
      return { ip, status: 'succeeded', message: `${text.length} characters`, evidence: { text } };
    } catch (error) {
      return { ip, status: signal.aborted ? 'cancelled' : 'failed', message: renderError(error), evidence: {} };
    }
  };
  return {
    preview: async () => ({
      miners: miners.map(shownMiner),
      leftOut: [...leftOut, ...selection.unmatched.map(({ text, reason }) => ({ who: text, reason }))],
      ...{ atOnce: AT_ONCE, kw: null, etaS: null, workers: [] },
    }),
    async run(onStep, { signal }) {
      const limit = pLimit(AT_ONCE);
      await Promise.all(miners.map((miner) => limit(async () => onStep(await read(miner, signal)))));
      return { batchIds: [], leftOut: [] };
    },
    close: async () => {},
  };
}

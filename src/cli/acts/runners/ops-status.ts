// Sets the ops status of miners, which the service keeps: one request each, a few at a time. No agent is asked.
import pLimit from 'p-limit';
import { z } from 'zod';
import { renderError } from '../../../base/errors.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import type { Selection } from '../../connection/selection.ts';
import type { ServiceClient } from '../../connection/service-client.ts';
import { candidatesForStatus, shownMiner } from '../candidates.ts';
import type { StatusVerb } from '../verbs/verbs.ts';
import type { ActRunner, ActStep } from './runner.ts';

const AT_ONCE = 4;
const editAnswer = z.object({ data: z.object({ ops_status: z.string().nullable() }) });

/** `service` is closed by its owner. */
export function opsStatusRunner(
  service: Pick<ServiceClient, 'ask'>,
  opsStatus: StatusVerb['opsStatus'],
  selection: Pick<Selection, 'miners' | 'unmatched'>,
): ActRunner {
  const { miners, leftOut } = candidatesForStatus(opsStatus, selection.miners);
  const edit = async ({ id, ip }: BoardMiner, signal: AbortSignal): Promise<ActStep> => {
    const step = { ip, evidence: {} };
    if (signal.aborted) return { ...step, status: 'cancelled', message: 'cancelled before it was sent' };
    const body = { ops_status: opsStatus.to };
    try {
      await service.ask(editAnswer, { method: 'PATCH', path: `/miners/${id}`, body });
      return { ...step, status: 'succeeded', message: null };
    } catch (error) {
      return { ...step, status: 'failed', message: renderError(error) };
    }
  };
  return {
    preview: async () => ({
      miners: miners.map(shownMiner),
      leftOut: [...leftOut, ...selection.unmatched.map(({ text, reason }) => ({ who: text, reason }))],
      ...{ atOnce: null, kw: null, etaS: null, workers: [] },
    }),
    async run(onStep, { signal }) {
      const limit = pLimit(AT_ONCE);
      await Promise.all(miners.map((miner) => limit(async () => onStep(await edit(miner, signal)))));
      return { batchIds: [], leftOut: [] };
    },
    close: async () => {},
  };
}

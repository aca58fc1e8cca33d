// Creates the task batches of an act at a service, or asks who would get the task. Miners are named by the selector
// where it means the same ones a moment later, and the service refuses another number of them; else by their ids.
import { v4 as newUuid } from 'uuid';
import type { z } from 'zod';
import { systemClock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { type Selector, selectorText } from '../../../model/selector/selector.ts';
import { createdAnswerSchema, MAX_TARGETS } from '../../../wire/api/tasks.ts';
import type { ServiceClient } from '../../connection/service-client.ts';
import type { Params } from '../verbs/params.ts';
import type { ActTask } from '../verbs/verbs.ts';
import type { ActLimits } from './runner.ts';

/** A request whose answer was lost is sent again with its key: it creates nothing twice. */
const ATTEMPTS = 4;
const AGAIN_MS = 2_000;

/** The miners of one request, as its body names them. */
export type Targets =
  | { readonly filter: { readonly select: string }; readonly expect_count: number }
  | { readonly miner_ids: readonly string[] };

type Asked = {
  readonly task: ActTask;
  readonly params: Params;
  readonly limits: Pick<ActLimits, 'canary' | 'stopAfter'>;
};

export type Created = Pick<z.output<typeof createdAnswerSchema>, 'data' | 'meta'>;

/** What a miner is like at this moment: the next moment the same words mean others. */
const isMomentary = ({ words }: Selector) => words.some(({ kind }) => kind === 'state' || kind === 'flag');

/** `rows` = all that the selector means; `wanted` = those of them that the act is for. */
export function targetsOf(
  selector: Selector | undefined,
  rows: readonly BoardMiner[],
  wanted: readonly BoardMiner[],
): readonly Targets[] {
  if (wanted.length === 0) return [];
  if (selector !== undefined && !selector.isEmpty && !isMomentary(selector) && rows.length <= MAX_TARGETS)
    return [{ filter: { select: selectorText(selector) }, expect_count: rows.length }];
  const ids = wanted.map(({ id }) => id);
  return Array.from({ length: Math.ceil(ids.length / MAX_TARGETS) }, (_, i) => ({
    miner_ids: ids.slice(i * MAX_TARGETS, (i + 1) * MAX_TARGETS),
  }));
}

/** Creates nothing. Throws CommandFailed where the service refuses it. */
export const askWho = (service: Pick<ServiceClient, 'ask'>, asked: Asked, targets: Targets): Promise<Created> =>
  service.ask(createdAnswerSchema, {
    method: 'POST',
    path: '/task-batches',
    body: { ...bodyOf(asked, targets), dry_run: true },
  });

export async function create(service: Pick<ServiceClient, 'ask'>, asked: Asked, targets: Targets): Promise<Created> {
  const body = bodyOf(asked, targets);
  const request = { method: 'POST', path: '/task-batches', body, idempotencyKey: newUuid() } as const;
  for (let attempt = 1; ; attempt++) {
    try {
      return await service.ask(createdAnswerSchema, request);
    } catch (error) {
      if (!(error instanceof PeerError) || error.retry === 'never' || attempt === ATTEMPTS) throw error;
      await systemClock.sleep(AGAIN_MS);
    }
  }
}

function bodyOf({ task, params, limits: { canary, stopAfter } }: Asked, targets: Targets) {
  const rollout = {
    ...(canary !== undefined && { canary }),
    ...(stopAfter !== undefined && { stop_after: stopAfter }),
  };
  return { task_name: task, params, ...targets, ...(Object.keys(rollout).length > 0 && { rollout }) };
}

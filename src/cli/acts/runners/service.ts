// Acts as task batches of a service elsewhere: made with few requests, followed by asking once a second, given up where
// the caller stops. The agents of the farm carry them out.
import { v4 as newUuid } from 'uuid';
import { z } from 'zod';
import { systemClock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { requestedPoolsSchema } from '../../../model/pools/requested-pools.ts';
import { previewWorkers } from '../../../model/pools/resolve-pools.ts';
import { createdAnswerSchema } from '../../../wire/api/tasks.ts';
import type { Selection } from '../../connection/selection.ts';
import type { ServiceClient } from '../../connection/service-client.ts';
import { CommandFailed, EXIT } from '../../output/exit.ts';
import { candidatesFor, shownMiner } from '../candidates.ts';
import type { Params } from '../verbs/params.ts';
import type { ActTask } from '../verbs/verbs.ts';
import { type BatchTask, followBatch } from './follow-batch.ts';
import type { ActLimits, ActPreview, ActRunner, LeftOut } from './runner.ts';

/** Ids in one request. */
const MAX_IDS = 1_000;
/** A request whose answer was lost is sent again with its key: it creates nothing twice. */
const ATTEMPTS = 4;
const AGAIN_MS = 2_000;

export type ServiceAct = {
  readonly task: ActTask;
  readonly params: Params;
  readonly limits: ActLimits;
  readonly selection: Pick<Selection, 'miners' | 'unmatched'>;
};

type Created = Pick<z.output<typeof createdAnswerSchema>, 'data' | 'meta'>;

/** `service` is closed by its owner; its requests must not end with the signal of a run. */
export function serviceRunner(service: Pick<ServiceClient, 'ask'>, act: ServiceAct): ActRunner {
  const { task, limits, selection } = act;
  const { miners, leftOut } = candidatesFor(task, selection.miners);
  const ipOf = new Map(miners.map(({ id, ip }) => [id, ip]));
  return {
    async preview(): Promise<ActPreview> {
      mustFit(limits, miners.length);
      const unmatched = selection.unmatched.map(({ text, reason }) => ({ who: text, reason }));
      const unforeseen = { atOnce: null, kw: null, etaS: null, workers: workersOf(act, miners) };
      return { miners: miners.map(shownMiner), leftOut: [...leftOut, ...unmatched], ...unforeseen };
    },
    async run(onStep, { isDetached, signal }) {
      const batchIds: string[] = [];
      const skipped: LeftOut[] = [];
      for (const part of chunksOf(miners)) {
        if (signal.aborted) break;
        const { data, meta } = await create(service, act, part);
        skipped.push(...skippedOf(meta.skipped, ipOf));
        batchIds.push(...data.map(({ id }) => id));
      }
      if (isDetached) return { batchIds, leftOut: skipped };
      const hear = ({ minerId, ...step }: BatchTask) => onStep({ ip: ipOf.get(minerId) ?? minerId, ...step });
      const giveUp = () => void Promise.all(batchIds.map((id) => cancel(service, id)));
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
      try {
        await Promise.all(batchIds.map((id) => followBatch({ clock: systemClock, service }, id, hear)));
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
      return { batchIds, leftOut: skipped };
    },
    close: async () => {},
  };
}

/** As far as the rows tell; the service refuses what miners lack before anything is sent. */
function workersOf({ params }: ServiceAct, miners: readonly BoardMiner[]) {
  const pools = requestedPoolsSchema.safeParse(params.pools).data;
  if (pools === undefined) return [];
  const facts = miners.map(({ ip, mac, serial, model, rack, position, pool, worker }) => ({
    ...{ ip, mac: mac ?? undefined, serial: serial ?? undefined, model: model ?? undefined },
    ...{ rack: rack ?? undefined, position: position ?? undefined, set: 'elsewhere' as const },
    shown: pool === null || worker === null ? [] : [{ url: pool, user: worker, isActive: true }],
  }));
  return previewWorkers(pools, facts);
}

/** A rule for the whole of it needs one batch. */
function mustFit({ canary, stopAfter, concurrency }: ActLimits, count: number): void {
  if (concurrency !== undefined)
    throw new CommandFailed(
      '--concurrency is for the agent of this host: the service has the limits of each agent',
      EXIT.usage,
    );
  if (count > MAX_IDS && (canary !== undefined || stopAfter !== undefined))
    throw new CommandFailed(
      `--canary and --stop-after take at most ${MAX_IDS} miners at a service, these are ${count}`,
      EXIT.usage,
    );
}

const chunksOf = (miners: readonly BoardMiner[]): BoardMiner[][] =>
  Array.from({ length: Math.ceil(miners.length / MAX_IDS) }, (_, i) => miners.slice(i * MAX_IDS, (i + 1) * MAX_IDS));

async function create(
  service: Pick<ServiceClient, 'ask'>,
  { task, params, limits: { canary, stopAfter } }: ServiceAct,
  miners: readonly BoardMiner[],
): Promise<Created> {
  const rollout = {
    ...(canary !== undefined && { canary }),
    ...(stopAfter !== undefined && { stop_after: stopAfter }),
  };
  const body = {
    ...{ task_name: task, params, miner_ids: miners.map(({ id }) => id) },
    ...(Object.keys(rollout).length > 0 && { rollout }),
  };
  const asked = { method: 'POST', path: '/task-batches', body, idempotencyKey: newUuid() } as const;
  for (let attempt = 1; ; attempt++) {
    try {
      return await service.ask(createdAnswerSchema, asked);
    } catch (error) {
      if (!(error instanceof PeerError) || error.retry === 'never' || attempt === ATTEMPTS) throw error;
      await systemClock.sleep(AGAIN_MS);
    }
  }
}

const NO_ANSWER = z.unknown();

/** Where the service is away, what waits is carried out, or expires: the following says which. */
const cancel = (service: Pick<ServiceClient, 'ask'>, id: string): Promise<unknown> =>
  service.ask(NO_ANSWER, { method: 'POST', path: `/task-batches/${id}/cancel`, body: {} }).catch(() => {});

/** The service knows more than the rows say. */
const skippedOf = (skipped: Created['meta']['skipped'], ipOf: ReadonlyMap<string, string>): LeftOut[] =>
  skipped.flatMap(({ message, miner_ids: ids }) => ids.map((id) => ({ who: ipOf.get(id) ?? id, reason: message })));

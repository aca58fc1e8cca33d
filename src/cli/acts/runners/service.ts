// Acts as task batches of a service elsewhere: made with few requests, followed by asking once a second, given up where
// the caller stops. The agents of the farm carry them out.
import { systemClock } from '../../../base/clock.ts';
import type { SkipReason } from '../../../base/error-codes.data.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { MAX_TARGETS } from '../../../wire/api/tasks.ts';
import { cancelBatch } from '../../connection/batches.ts';
import type { Selection } from '../../connection/selection.ts';
import type { ServiceClient } from '../../connection/service-client.ts';
import { CommandFailed, EXIT } from '../../output/exit.ts';
import { candidatesFor, shownMiner } from '../candidates.ts';
import type { Params } from '../verbs/params.ts';
import type { ActTask } from '../verbs/verbs.ts';
import { type BatchTask, followBatch } from './follow-batch.ts';
import type { ActLimits, ActPreview, ActRunner, LeftOut } from './runner.ts';
import { askWho, type Created, create, type Targets, targetsOf } from './service-batch.ts';
import { outlookOf } from './service-outlook.ts';

export type ServiceAct = {
  readonly task: ActTask;
  readonly params: Params;
  readonly limits: ActLimits;
  readonly selection: Pick<Selection, 'selector' | 'miners' | 'unmatched'>;
};

/** `service` is closed by its owner; its requests must not end with the signal of a run. */
export function serviceRunner(service: Pick<ServiceClient, 'ask'>, act: ServiceAct): ActRunner {
  const { task, limits, selection } = act;
  const ours = candidatesFor(task, selection.miners);
  let targets = targetsOf(selection.selector, selection.miners, ours.miners);
  const ipOf = new Map(selection.miners.map(({ id, ip }) => [id, ip]));
  const isShown = new Set<string>();
  return {
    async preview(): Promise<ActPreview> {
      mustFit(limits, targets.length);
      const answers: Created[] = [];
      for (const part of targets) answers.push(await askWho(service, act, part));
      const { miners, leftOut } = whoOf(answers, ours, selection, ipOf);
      for (const { who } of leftOut) isShown.add(who);
      // The service creates tasks also for those that their agents would refuse.
      if (answers.some(isRefusedByAgent)) targets = targetsOf(undefined, [], miners);
      const { notes, ...pace } = outlookOf(answers.flatMap(({ meta }) => meta.outlooks ?? []));
      return {
        ...{ miners: miners.map(shownMiner), leftOut, ...pace },
        notes: [
          ...(answers.some(({ meta }) => meta.needs_second_person) ? [SECOND_PERSON] : []),
          ...(pace.kw === null ? drawnNow(task, miners) : []),
          ...notes,
        ],
        workers: answers[0]?.meta.pools_preview ?? [],
      };
    },
    async run(onStep, { isDetached, signal }) {
      const { batchIds, skipped } = await createAll(service, act, targets, signal);
      const leftOut = skippedOf(skipped, ipOf).filter(({ who }) => !isShown.has(who));
      if (isDetached) return { batchIds, leftOut };
      const hear = ({ minerId, ...step }: BatchTask) => onStep({ ip: ipOf.get(minerId) ?? minerId, ...step });
      const giveUp = () => void Promise.all(batchIds.map((id) => cancel(service, id)));
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
      try {
        await Promise.all(batchIds.map((id) => followBatch({ clock: systemClock, service }, id, hear)));
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
      return { batchIds, leftOut };
    },
    close: async () => {},
  };
}

const SECOND_PERSON =
  'another person has to confirm it on the page before any miner gets it; Ctrl-C gives it up, --detach leaves it there';

/** A rule for the whole of it needs one batch. */
function mustFit({ canary, stopAfter, concurrency }: ActLimits, parts: number): void {
  if (concurrency !== undefined)
    throw new CommandFailed(
      '--concurrency is for the agent of this host: the service has the limits of each agent',
      EXIT.usage,
    );
  if (parts > 1 && (canary !== undefined || stopAfter !== undefined))
    throw new CommandFailed(
      `--canary and --stop-after take at most ${MAX_TARGETS} miners at a service, these are more`,
      EXIT.usage,
    );
}

/** By the word of the service; where rows say more of why not, by theirs. */
function whoOf(
  answers: readonly Created[],
  ours: ReturnType<typeof candidatesFor>,
  { miners, unmatched }: ServiceAct['selection'],
  ipOf: ReadonlyMap<string, string>,
) {
  const targets = answers.flatMap(({ meta }) => meta.targets ?? []);
  const going = new Set(targets.flatMap(({ miner_id: id, reason }) => (reason === null ? [id] : [])));
  const known = new Map(ours.leftOut.map((one) => [one.who, one]));
  const refused = skippedOf(
    answers.flatMap(({ meta }) => meta.skipped),
    ipOf,
  ).map((one) => known.get(one.who) ?? one);
  const names = new Set(refused.map(({ who }) => who));
  return {
    miners: miners.filter(({ id }) => going.has(id)),
    leftOut: [
      ...ours.leftOut.filter(({ who }) => !names.has(who)),
      ...refused,
      ...unmatched.map(({ text, reason }) => ({ who: text, reason })),
    ],
  };
}

const isRefusedByAgent = ({ meta }: Created): boolean =>
  meta.skipped.some(({ reason }) => reason === ('refused_by_agent' satisfies SkipReason));

const CHANGES_POWER: ReadonlySet<ActTask> = new Set([
  'miner.system.reboot',
  'miner.power_mode.update',
  'miner.firmware.update',
]);

/** Where the draw at full load is not known. What miners draw now is no measure of what they will. */
function drawnNow(task: ActTask, miners: readonly BoardMiner[]): string[] {
  if (!CHANGES_POWER.has(task)) return [];
  const known = miners.flatMap(({ powerW, isOnline }) => (isOnline && powerW !== null ? [powerW] : []));
  const kw = known.reduce((sum, powerW) => sum + powerW, 0) / 1_000;
  const some = known.length === miners.length ? '' : `, as far as it is known (of ${known.length})`;
  return known.length === 0 ? [] : [`${kw.toFixed(1)} kW drawn now${some}`];
}

async function createAll(
  service: Pick<ServiceClient, 'ask'>,
  act: ServiceAct,
  targets: readonly Targets[],
  signal: AbortSignal,
) {
  const batchIds: string[] = [];
  const skipped: Skipped[] = [];
  for (const part of targets) {
    if (signal.aborted) break;
    const { data, meta } = await create(service, act, part);
    skipped.push(...meta.skipped);
    batchIds.push(...data.map(({ id }) => id));
  }
  return { batchIds, skipped };
}

type Skipped = Created['meta']['skipped'][number];

/** Where the service is away, what waits is carried out, or expires: the following says which. */
const cancel = (service: Pick<ServiceClient, 'ask'>, id: string): Promise<unknown> =>
  cancelBatch(service, id).catch(() => {});

/** The service knows more than the rows say. */
const skippedOf = (skipped: readonly Skipped[], ipOf: ReadonlyMap<string, string>): LeftOut[] =>
  skipped.flatMap(({ message, miner_ids: ids }) => ids.map((id) => ({ who: ipOf.get(id) ?? id, reason: message })));

// Tasks at the control socket: which there are, which miners one would be about, running and giving them up.
import { v4 as newUuid } from 'uuid';
import { RefusedError } from '../../../base/errors.ts';
import { countAddresses } from '../../../base/net/intervals.ts';
import { parseIpv4Range } from '../../../base/net/ipv4.ts';
import type { ScanRanges } from '../../../base/net/ranges.ts';
import { spansOutside } from '../../../base/net/restrict-ranges.ts';
import { type ClockLook, lookAtClocks, wallTimeAt } from '../../../base/time/clock-steps.ts';
import { withForcedCanary } from '../../../model/task.ts';
import type { TaskView } from '../../tasks/queue/admission.ts';
import type { Preview, RunRequest, ShownBatch, ShownTask, Step } from '../messages.ts';
import { isoOf, type StateParts } from '../status.ts';
import { createLocalRuns } from './local-runs.ts';
import type { NamedMiners } from './named-miners.ts';
import { createPoolRuns } from './pool-runs.ts';

export function createTaskHandlers(
  parts: Pick<StateParts, 'clock' | 'tasks'> & {
    readonly fleet: Pick<StateParts['fleet'], 'get'>;
    readonly config: { readonly ranges: ScanRanges };
    readonly poolFacts: Parameters<typeof createPoolRuns>[0];
  },
  named: Pick<NamedMiners, 'find'>,
) {
  const { clock, config, fleet, tasks } = parts;
  const pools = createPoolRuns(parts.poolFacts);
  const runs = createLocalRuns(tasks, pools.paramsOf);
  return {
    /** Newest first. */
    tasks(limit: number, onlyOpen: boolean) {
      const now = lookAtClocks(clock);
      const open = onlyOpen ? tasks.open().toSorted((a, b) => b.acceptedMs - a.acceptedMs) : undefined;
      const views = open?.slice(0, limit) ?? tasks.list(limit);
      return {
        tasks: views.map((view) => shownTask(view, fleet.get(view.minerKey)?.target.ip, now)),
        left_out: open === undefined ? null : open.length - views.length,
      };
    },
    /** Which miners this run would be about, and what it would come to. Throws RefusedError as `run` does. */
    async preview(request: RunRequest, signal: AbortSignal): Promise<Preview> {
      mustHaveInside(config.ranges, request);
      const { name, params, concurrency, rollout } = request;
      const { miners, unknown } = await named.find(request.miners, signal);
      const ips = new Map(miners.map(({ key, ip }) => [key, ip]));
      const at = (key: string) => ({ key, ip: ips.get(key) ?? '' });
      const { selected, leftOut, atOnce, drawW, etaS, isEtaGuessed } = await tasks.outlook(
        miners.map(({ key }) => ({ name, minerKey: key, params })),
        { concurrency, canary: withForcedCanary(name, rollout)?.canary },
      );
      return {
        miners: selected.map(({ minerKey, drawW: powerW }) => ({
          ...at(minerKey),
          model: modelIn(fleet.get(minerKey)),
          power_w: powerW === null ? null : Math.round(powerW),
        })),
        left_out: leftOut.map(({ minerKey, reason }) => ({ ...at(minerKey), reason })),
        unknown: [...unknown],
        at_once: atOnce,
        kw: drawW === undefined ? null : Math.round(drawW / 100) / 10,
        eta_s: etaS === null ? null : Math.ceil(etaS),
        eta_is_guess: isEtaGuessed,
        ...pools.preview(request, miners),
      };
    },
    /**
     * Ends when every task has its outcome. What has not been started when `signal` aborts is given up. `by`: name of
     * the system user.
     */
    async run(request: RunRequest, onStep: (step: Step) => void, signal: AbortSignal, by?: string) {
      const beyond = mustHaveInside(config.ranges, request);
      const { miners, unknown } = await named.find(request.miners, signal);
      pools.mustFit(request, miners);
      for (const { name, reason } of unknown) {
        const message = beyond.has(name) ? 'outside the networks of the running agent: name it by itself' : reason;
        onStep({ ip: name, task_id: null, status: 'failed', message, evidence: {} });
      }
      const batchId = newUuid();
      const succeeded = await runs.run({ ...request, batchId, by }, miners, onStep, signal);
      return { total: miners.length + unknown.length, succeeded, batch_id: miners.length > 0 ? batchId : null };
    },
    /** What was asked for with one request, with what became of each. Throws RefusedError where none is known. */
    batch(batchId: string): ShownBatch {
      const all = tasks.batch(batchId);
      const [first] = all;
      if (first === undefined) throw new RefusedError('batch.unknown', `the running agent knows no batch ${batchId}`);
      const params = all.find((task) => task.params !== undefined)?.params ?? null;
      const shown = all.map(({ minerKey, status, message }) => ({
        ...{ miner_key: minerKey, ip: fleet.get(minerKey)?.target.ip ?? null, status, message },
      }));
      return { name: first.name, params, tasks: shown };
    },
    /** Gives up those that have not been started, and says how many there were. */
    cancel: (taskIds: readonly string[]) => tasks.cancelAll(taskIds),
    /** The same for all tasks. */
    abortAll: runs.abortAll,
  };
}

function modelIn(miner: ReturnType<StateParts['fleet']['get']>): string | null {
  const { extras, document } = miner?.reported ?? {};
  return [extras?.make, document?.model].filter(Boolean).join(' ') || null;
}

/** Those of the names that lie outside the networks of this agent. Throws RefusedError where all of them do. */
function mustHaveInside(ranges: ScanRanges, { name: task, miners }: RunRequest): ReadonlySet<string> {
  const beyond = new Set(miners.filter((each) => isBeyond(ranges, each)));
  if (beyond.size === miners.length)
    throw new RefusedError('run.outside', `${task}: all outside the networks of the running agent`);
  return beyond;
}

/** An address or range of which the agent may not reach anything. */
function isBeyond(configured: ScanRanges, name: string): boolean {
  const range = parseIpv4Range(name);
  if (typeof range === 'string') return false;
  return countAddresses(spansOutside(configured, [range])) === range.last - range.first + 1;
}

function shownTask(view: TaskView, ip: string | undefined, now: ClockLook): ShownTask {
  const isoAt = (elapsedMs: number | null) => isoOf(elapsedMs === null ? null : wallTimeAt(elapsedMs, now));
  return {
    task_id: view.taskId,
    batch_id: view.batchId,
    name: view.name,
    miner_key: view.minerKey,
    ip: ip ?? null,
    source: view.source,
    by: view.by,
    state: view.state,
    status: view.status,
    message: view.message,
    accepted_at: new Date(wallTimeAt(view.acceptedMs, now)).toISOString(),
    started_at: isoAt(view.startedMs),
    finished_at: isoAt(view.finishedMs),
  };
}

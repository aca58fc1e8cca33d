// The state of a running agent as people and monitors see it, and what of it is trouble. It only looks.
import type { Clock } from '../../base/clock.ts';
import type { ScanRanges } from '../../base/net/ranges.ts';
import { lookAtClocks, wallTimeAt } from '../../base/time/clock-steps.ts';
import { formatDurationMs } from '../../base/time/duration.ts';
import { VERSION } from '../../base/version.ts';
import type { DriverFolder } from '../../driver/load/driver-folder.ts';
import type { Finding } from '../../model/findings/findings.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Suspect } from '../fleet/identity/miner-registry.ts';
import type { RecentStep } from '../host/clock-watch.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { PollStats, SetAside } from '../poll/poller.ts';
import type { ScanProgress } from '../scan/plan.ts';
import type { Scanning } from '../scan/scanning.ts';
import type { TaskQueue } from '../tasks/queue/task-queue.ts';
import type { UplinkState } from '../uplink/uplink.ts';
import type { Watchdog } from '../watchdog/watchdog.ts';
import type { AgentStatus } from './status-message.ts';

type OutboxState = ReturnType<Outbox['state']>;

/** Of a service that runs in the same process, as far as it is about this host. `troubles` in sentences. */
export type OwnService = {
  readonly troubles: readonly string[];
  /** Why it can store nothing; null = it can. */
  readonly fault: string | null;
  /** Null where it makes none. Times in ms since the epoch. */
  readonly backup: {
    readonly dir: string;
    readonly newestAtMs: number | undefined;
    readonly failure: string | null;
  } | null;
};

export type StateParts = {
  readonly clock: Clock;
  readonly startedMs: number;
  /** As it is now. */
  readonly config: {
    readonly name?: string | undefined;
    readonly stateDir: string;
    readonly ranges: ScanRanges;
    readonly driversDir?: string | undefined;
  };
  readonly folder: Pick<DriverFolder, 'entries' | 'refused' | 'faults'>;
  readonly fleet: Fleet;
  readonly tasks: TaskQueue;
  readonly scanning: Scanning;
  readonly watchdog: Watchdog;
  readonly outbox: () => OutboxState;
  readonly trust: () => AgentStatus['trust'];
  readonly polls: () => PollStats;
  readonly setAside: () => readonly SetAside[];
  readonly suspects: () => readonly Suspect[];
  readonly outages: () => readonly Finding[];
  readonly clockSteps: () => readonly RecentStep[];
  readonly uplinks: () => readonly (UplinkState & { readonly url: string })[];
  /** Absent where none runs beside the agent. */
  readonly ownService?: (() => OwnService) | undefined;
};

export function agentStatus(parts: StateParts): AgentStatus {
  const { clock, config } = parts;
  const polls = parts.polls();
  const now = lookAtClocks(clock);
  const isoAt = (elapsedMs: number) => new Date(wallTimeAt(elapsedMs, now)).toISOString();
  const stalled = parts.watchdog.stalled();
  const last = parts.watchdog.last();
  const open = parts.tasks.open();
  const waiting = open.filter(({ state }) => state === 'accepted').length;
  const state = {
    version: VERSION,
    pid: process.pid,
    name: config.name ?? null,
    state_dir: config.stateDir,
    uptime_s: Math.round((clock.monotonicMs() - parts.startedMs) / 1_000),
    networks: { ranges: config.ranges.ranges.length, addresses: config.ranges.toProbe },
    uplinks: parts.uplinks().map(shownUplink),
    outbox: shownOutbox(parts.outbox(), now.wallMs),
    findings: parts.outages().slice(0, MAX_FINDINGS).map(shownFinding),
    miners: countMiners(parts.fleet),
    polls: {
      in_flight: polls.inFlight,
      ok: polls.ok,
      failed: polls.failed,
      worst_late_ms: Math.round(polls.worstLateMs),
    },
    set_aside: parts
      .setAside()
      .slice(0, MAX_SET_ASIDE)
      .map(({ key, ip, reason, inARow, costMs, dueInMs }) => ({
        ...{ key, ip, reason, in_a_row: inARow },
        cost_ms: reason === 'costly' ? Math.round(costMs) : null,
        next_poll_at: new Date(now.wallMs + dueInMs).toISOString(),
      })),
    drivers: shownDrivers(parts, now.wallMs),
    scans: shownScans(parts.scanning, isoAt),
    tasks: { waiting, running: open.length - waiting },
    trust: parts.trust(),
    clock_steps: parts.clockSteps().map(({ stepMs, steps, agoMs }) => ({
      at: isoAt(now.elapsedMs - agoMs),
      step_ms: stepMs,
      steps,
    })),
    suspects: parts
      .suspects()
      .slice(0, MAX_SUSPECTS)
      .map(({ ip, sinceMs, reason, claims }) => ({
        ...{ ip, since: new Date(Math.min(sinceMs, now.wallMs)).toISOString(), reason },
        claims: claims ? shownClaim(claims) : null,
      })),
    last_standstill: last ? { reason: last.reason, at: isoAt(last.atMs) } : null,
  };
  const own = parts.ownService?.();
  return {
    ...state,
    ...(own && { service: shownOwnService(own) }),
    troubles: [...troublesOf(state, stalled), ...(own?.troubles ?? [])],
  };
}

function shownDrivers({ config, folder }: StateParts, nowMs: number): AgentStatus['drivers'] {
  return {
    folder: config.driversDir ?? null,
    loaded: folder.entries().map(({ id, origin, allowed }) => ({ id, origin, allowed: [...allowed] })),
    refused: [...folder.refused()],
    waiting: folder.faults().map(({ id, origin, reason, waitsMs }) => ({
      ...{ id, origin, reason },
      next_try_at: waitsMs === undefined ? null : new Date(nowMs + waitsMs).toISOString(),
    })),
  };
}

const MAX_FINDINGS = 100;
const MAX_SET_ASIDE = 100;

const shownFinding = ({ sinceMs, minerCount, sample, ...finding }: Finding): AgentStatus['findings'][number] => ({
  ...{ ...finding, since: new Date(sinceMs).toISOString(), miner_count: minerCount, addresses: [...sample] },
});

const shownClaim = ({ key, ip, facts, isRejected }: NonNullable<Suspect['claims']>) => ({
  ...{ key, ip, facts: [...facts], is_rejected: isRejected },
});

const shownOwnService = ({ fault, backup }: OwnService): NonNullable<AgentStatus['service']> => ({
  fault,
  backup: backup && { dir: backup.dir, newest_at: isoOf(backup.newestAtMs), failure: backup.failure },
});

/**
 * In sentences. Miners that are ill are what an agent is there for, and none of its own troubles; but that not one
 * answers is.
 */
export function troublesOf(
  {
    uplinks,
    outbox,
    networks,
    miners,
    scans,
    clock_steps: steps,
    suspects,
    trust,
    drivers,
  }: Omit<AgentStatus, 'troubles'>,
  stalled: string | undefined,
): string[] {
  const troubles: string[] = [];
  if (stalled !== undefined) troubles.push(`it stands still: ${stalled}`);
  if (outbox.fault !== null) troubles.push(`what it has to report cannot be kept: ${outbox.fault}`);
  if (outbox.is_full) troubles.push('there is no room for what it has to report: new samples are counted, not kept');
  for (const { url, phase, last_error } of uplinks) {
    if (phase === 'refused') troubles.push(`${url} refuses this agent: ${last_error ?? 'no reason given'}`);
    else if (phase !== 'online' && last_error !== null) troubles.push(`not connected to ${url}: ${last_error}`);
  }
  troubles.push(...uplinks.flatMap(skewTrouble), ...steps.slice(-MAX_STEPS_SHOWN).map(stepTrouble));
  troubles.push(...suspectTrouble(suspects));
  if (trust.fault !== null)
    troubles.push(`no factory login is tried: the record of trust cannot be used: ${trust.fault}`);
  if (trust.waiting > 0) troubles.push(trustTrouble(trust.waiting));
  troubles.push(...drivers.refused.map(({ origin, reason }) => `the driver ${origin} is refused: ${reason}`));
  troubles.push(
    ...drivers.waiting.map(
      ({ origin, reason, next_try_at: next }) =>
        `the driver ${origin} ${reason}: ${next === null ? 'their readings are lost' : 'its miners wait'}`,
    ),
  );
  if (networks.addresses === 0) troubles.push('no networks are configured, so nothing is scanned');
  if (scans.last?.account === null) troubles.push('the last scan broke; the log says why');
  if (miners.total > 0 && miners.silent === miners.total) troubles.push(`none of the ${miners.total} miners answers`);
  return troubles;
}

const MAX_SUSPECTS = 1_000;
const MAX_SUSPECTS_NAMED = 60;

function suspectTrouble(suspects: AgentStatus['suspects']): string[] {
  const [rejected, open] = [suspects.filter(isRejected), suspects.filter((suspect) => !isRejected(suspect))];
  const troubles: string[] = [];
  if (open.length > 0) {
    const who =
      open.length === 1
        ? '1 device claims to be another miner, or changes who it is'
        : `${open.length} devices claim to be other miners, or change who they are`;
    const what = 'nothing that changes them is sent to them, nor to the miners whose facts they show';
    troubles.push(`${who}: ${named(open)}; ${what}: pithead identity list`);
  }
  if (rejected.length > 0) {
    const who =
      rejected.length === 1
        ? '1 device goes on showing the facts of a miner that it is not, as a person said'
        : `${rejected.length} devices go on showing the facts of miners that they are not, as a person said`;
    troubles.push(`${who}: ${named(rejected)}; nothing that changes them is sent to them`);
  }
  return troubles;
}

const isRejected = ({ claims }: AgentStatus['suspects'][number]): boolean => claims?.is_rejected === true;

const named = (suspects: AgentStatus['suspects']): string => {
  const some = suspects.slice(0, MAX_SUSPECTS_NAMED).map(({ ip }) => ip);
  return some.join(', ') + (suspects.length > some.length ? ' and more' : '');
};

const trustTrouble = (count: number) =>
  `${count} device${count === 1 ? ' waits' : 's wait'} for a person before ${count === 1 ? 'it gets its' : 'they get their'} login: pithead trust list`;

/** What troubles of the clock begin with. */
export const CLOCK_TROUBLE = 'the clock of this host';
const MAX_SKEW_MS = 60_000;
const MAX_STEPS_SHOWN = 3;

function skewTrouble({ url, skew_ms }: AgentStatus['uplinks'][number]): string[] {
  if (skew_ms === null || Math.abs(skew_ms) <= MAX_SKEW_MS) return [];
  const by = `${formatDurationMs(Math.abs(skew_ms))} ${skew_ms < 0 ? 'ahead of' : 'behind'}`;
  return [`${CLOCK_TROUBLE} is ${by} ${url}: set it, or let this host follow a time server`];
}

function stepTrouble({ at, step_ms, steps }: AgentStatus['clock_steps'][number]): string {
  const by = formatDurationMs(Math.abs(step_ms));
  const when = at.replace(/\.\d+Z$/, 'Z');
  const [way, error] = step_ms < 0 ? ['back', 'late'] : ['forward', 'early'];
  const set =
    steps === 1 ? `was set ${way} by ${by} at ${when}` : `was set ${steps} times until ${when}, ${way} by ${by} in all`;
  return `${CLOCK_TROUBLE} ${set}: what was reported before is dated too ${error}`;
}

export const isoOf = (atMs: number | null | undefined): string | null =>
  typeof atMs === 'number' ? new Date(atMs).toISOString() : null;

function shownUplink({ name, url, phase, connectedSince, lastError, backlog, skewMs }: UplinkState & { url: string }) {
  return {
    name,
    url,
    phase,
    connected_since: isoOf(connectedSince),
    last_error: lastError ?? null,
    backlog: backlog ?? null,
    skew_ms: skewMs === undefined ? null : Math.round(skewMs),
  };
}

function shownOutbox(outbox: OutboxState, nowMs: number) {
  const { slices, bytes, pendingRecords, droppedRecords, isFull, lastCommitAt, fault } = outbox;
  return {
    slices,
    bytes,
    pending_records: pendingRecords,
    dropped_records: droppedRecords,
    is_full: isFull,
    // The wall clock may have been set back since.
    last_commit_at: isoOf(lastCommitAt && Math.min(lastCommitAt, nowMs)),
    fault: fault ?? null,
  };
}

function countMiners(fleet: Fleet): AgentStatus['miners'] {
  const counts = { total: 0, answering: 0, silent: 0, unread: 0, hashing: 0, rebooting: 0 };
  const flags: Record<string, number> = {};
  for (const { reading, reported, judgement, isRebooting } of fleet.all()) {
    counts.total++;
    if (isRebooting) counts.rebooting++;
    const isLastCheckOk = reported?.document.last_check_succeed;
    // What answers and cannot be read is not silent.
    const hasAnswered = isLastCheckOk === false && judgement?.conditions['network.contact'] === undefined;
    if (isLastCheckOk === false && !hasAnswered) counts.silent++;
    else if (reading === undefined && !hasAnswered) counts.unread++;
    else {
      counts.answering++;
      if (isLastCheckOk && reported?.document.is_mining) counts.hashing++;
    }
    for (const { type } of reported?.extras.flags ?? []) flags[type] = (flags[type] ?? 0) + 1;
  }
  return { ...counts, flags };
}

function shownScans({ scanner }: Scanning, isoAt: (elapsedMs: number) => string): AgentStatus['scans'] {
  const { running, waiting } = scanner.current();
  const last = scanner.latest();
  return {
    running: running.map(({ id, kind, progress }) => ({
      id,
      kind,
      progress: progress ? shownProgress(progress) : null,
    })),
    waiting: waiting.length,
    last: last
      ? {
          id: last.id,
          kind: last.kind,
          started_at: isoAt(last.startedMs),
          account: last.account ?? null,
        }
      : null,
  };
}

const shownProgress = ({ probed, toProbe, identified, elapsedMs, remainingMs }: ScanProgress) => ({
  probed,
  to_probe: toProbe,
  identified,
  elapsed_ms: Math.round(elapsedMs),
  remaining_ms: remainingMs === undefined ? null : Math.round(remainingMs),
});

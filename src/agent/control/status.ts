// The state of a running agent as people and monitors see it, and what of it is trouble. It only looks.
import type { Clock } from '../../base/clock.ts';
import type { ScanRanges } from '../../base/net/ranges.ts';
import { VERSION } from '../../base/version.ts';
import type { Roster } from '../fleet/fleet.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { PollStats } from '../poll/poller.ts';
import type { Scanner } from '../scan/scanner.ts';
import type { TaskGate } from '../tasks/queue/task-queue.ts';
import type { UplinkState } from '../uplink/uplink.ts';
import type { Standstill } from '../watchdog/watchdog.ts';
import type { DoorState } from './messages.ts';

type OutboxState = ReturnType<Outbox['state']>;

export type StateParts = {
  readonly clock: Clock;
  readonly startedMs: number;
  readonly config: {
    readonly name?: string | undefined;
    readonly stateDir: string;
    readonly ranges: Pick<ScanRanges, 'ranges' | 'toProbe'>;
  };
  readonly roster: Pick<Roster, 'all'>;
  readonly tasks: Pick<TaskGate, 'open'>;
  readonly scanner: Pick<Scanner, 'current' | 'latest'>;
  readonly standstill: Standstill;
  readonly outbox: () => OutboxState;
  readonly polls: () => PollStats;
  readonly uplinks: () => readonly (UplinkState & { readonly url: string })[];
};

export function shownState(parts: StateParts): DoorState {
  const { clock, config } = parts;
  const polls = parts.polls();
  const stalled = parts.standstill.stalled();
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
    outbox: shownOutbox(parts.outbox()),
    miners: countMiners(parts.roster),
    polls: {
      in_flight: polls.inFlight,
      ok: polls.ok,
      failed: polls.failed,
      worst_late_ms: Math.round(polls.worstLateMs),
    },
    scans: shownScans(parts.scanner),
    tasks: { waiting, running: open.length - waiting },
    last_standstill: shownStandstill(parts.standstill.last()),
  };
  return { ...state, troubles: troublesOf(state, stalled) };
}

/** In sentences. Miners that are ill are what an agent is there for, and none of its own troubles; but that not one answers is. */
export function troublesOf(
  { uplinks, outbox, networks, miners, scans }: Omit<DoorState, 'troubles'>,
  stalled: string | undefined,
): string[] {
  const troubles: string[] = [];
  if (stalled !== undefined) troubles.push(`it stands still: ${stalled}`);
  if (outbox.fault !== null) troubles.push(`what it has to report cannot be written: ${outbox.fault}`);
  if (outbox.is_full) troubles.push('there is no room for what it has to report: new samples are counted, not kept');
  for (const { url, phase, last_error } of uplinks) {
    if (phase === 'refused') troubles.push(`${url} refuses this agent: ${last_error ?? 'no reason given'}`);
    else if (phase !== 'online' && last_error !== null) troubles.push(`not connected to ${url}: ${last_error}`);
  }
  if (networks.addresses === 0) troubles.push('no networks are configured, so nothing is scanned');
  if (scans.last?.account === null) troubles.push('the last scan broke; the log says why');
  if (miners.total > 0 && miners.silent === miners.total) troubles.push(`none of the ${miners.total} miners answers`);
  return troubles;
}

const isoOf = (atMs: number | undefined): string | null => (atMs === undefined ? null : new Date(atMs).toISOString());

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

function shownOutbox({ slices, bytes, pendingRecords, droppedRecords, isFull, lastCommitAt, fault }: OutboxState) {
  return {
    slices,
    bytes,
    pending_records: pendingRecords,
    dropped_records: droppedRecords,
    is_full: isFull,
    last_commit_at: isoOf(lastCommitAt),
    fault: fault ?? null,
  };
}

function countMiners(roster: Pick<Roster, 'all'>): DoorState['miners'] {
  const counts = { total: 0, answering: 0, silent: 0, unread: 0, hashing: 0, rebooting: 0 };
  const flags: Record<string, number> = {};
  for (const { reading, reported, isRebooting } of roster.all()) {
    counts.total++;
    if (isRebooting) counts.rebooting++;
    const isLastCheckOk = reported?.document.last_check_succeed;
    if (isLastCheckOk === false) counts.silent++;
    else if (reading === undefined) counts.unread++;
    else {
      counts.answering++;
      if (reported?.document.is_mining) counts.hashing++;
    }
    for (const { type } of reported?.extras.flags ?? []) flags[type] = (flags[type] ?? 0) + 1;
  }
  return { ...counts, flags };
}

function shownScans(scanner: Pick<Scanner, 'current' | 'latest'>): DoorState['scans'] {
  const { running, waiting } = scanner.current();
  const last = scanner.latest();
  return {
    running: running.map(({ id, kind, progress }) => ({
      id,
      kind,
      progress:
        progress === undefined
          ? null
          : {
              probed: progress.probed,
              to_probe: progress.toProbe,
              identified: progress.identified,
              elapsed_ms: Math.round(progress.elapsedMs),
              remaining_ms: progress.remainingMs === undefined ? null : Math.round(progress.remainingMs),
            },
    })),
    waiting: waiting.length,
    last:
      last === undefined
        ? null
        : {
            id: last.id,
            kind: last.kind,
            started_at: new Date(last.startedMs).toISOString(),
            account: last.account ?? null,
          },
  };
}

const shownStandstill = (last: ReturnType<Standstill['last']>) =>
  last === undefined ? null : { reason: last.reason, at: new Date(last.atMs).toISOString() };

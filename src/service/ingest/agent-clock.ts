// Converts the times of an agent to the clock of the service; both clocks may be wrong and may be set at any moment.
// Shown times are never later than now. Which of two reports is newer: see store/outbox-order.ts.
import { type ClockLook, stepBetween } from '../../base/time/clock-steps.ts';
import type { SliceHeader, TaskCommand } from '../../wire/frames.ts';
import type { MinerRecord, ReportRecord } from '../../wire/records.ts';

/** A smaller difference may be transmission time: both clocks then count as the same, and times stay. */
const SAME_MS = 5_000;
/** Longest time on the way. What seems older was produced by a clock that has been set since the hello. */
const ON_ITS_WAY_MS = 60_000;

export type AgentClock = ReturnType<typeof createAgentClock>;

/** `helloAtMs` = the agent's clock in its hello, which came at that moment. */
export function createAgentClock(helloAtMs: number, hello: ClockLook) {
  /** How far the agent's clock was ahead at the hello, of our clock as it is set now. */
  const skewMs = (now: ClockLook) => helloAtMs - hello.wallMs - stepBetween(hello, now);
  return {
    skewMs,
    /** The task with times as if our clock had not been set since the hello: the agent counts from the welcome. */
    inItsTime(task: TaskCommand, now: ClockLook): TaskCommand {
      const byMs = stepBetween(hello, now);
      if (byMs === 0) return task;
      const moved = (iso: string) => new Date(Date.parse(iso) - byMs).toISOString();
      return { ...task, created_at: moved(task.created_at), expires_at: moved(task.expires_at) };
    },
    /** What to add to the times of a slice that came at that moment. */
    offsetMs({ produced_at, age_ms }: Pick<SliceHeader, 'produced_at' | 'age_ms'>, came: ClockLook): number {
      const atHelloMs = -skewMs(came);
      if (age_ms === undefined) return unlessSame(atHelloMs);
      const saidMs = came.wallMs - age_ms - Date.parse(produced_at);
      const lateMs = saidMs - atHelloMs;
      return unlessSame(lateMs >= -SAME_MS && lateMs <= ON_ITS_WAY_MS ? atHelloMs : saidMs);
    },
  };
}

const unlessSame = (offsetMs: number) => (Math.abs(offsetMs) > SAME_MS ? offsetMs : 0);

/** The time by our clock, ms. */
export const toOurClock = (atMs: number, offsetMs: number, nowMs: number): number =>
  Math.max(0, Math.min(atMs + offsetMs, nowMs));

/** The record with its stored and shown times by our clock; the detail of an event stays as it is. */
export function datedByUs(record: ReportRecord, offsetMs: number, nowMs: number): ReportRecord {
  const toOurs = (iso: string): string => {
    const atMs = Date.parse(iso);
    const ourMs = toOurClock(atMs, offsetMs, nowMs);
    return ourMs === atMs ? iso : new Date(ourMs).toISOString();
  };
  switch (record.kind) {
    case 'miner':
      return { ...record, at: toOurs(record.at), ...stateDatedByUs(record, toOurs) };
    case 'gap':
      return { ...record, from: toOurs(record.from), to: toOurs(record.to) };
    case 'host': {
      const timestamp = Math.floor(toOurClock(record.host.timestamp * 1_000, offsetMs, nowMs) / 1_000);
      return { ...record, at: toOurs(record.at), host: { ...record.host, timestamp } };
    }
    case 'task':
    case 'event':
    case 'scan':
      return { ...record, at: toOurs(record.at) };
  }
}

function stateDatedByUs({ at, document, extras }: MinerRecord, toOurs: (iso: string) => string) {
  const { last_updated_at } = document;
  const atMs = Date.parse(toOurs(at));
  // What a record says was so before it was made: it is not later, although another clock may have dated it.
  const before = (iso: string) => (Date.parse(toOurs(iso)) > atMs ? toOurs(at) : toOurs(iso));
  const ours = last_updated_at === null ? null : before(last_updated_at);
  const flags = extras.flags.map((flag) => ({ ...flag, since: before(flag.since) }));
  return {
    document: ours === last_updated_at ? document : { ...document, last_updated_at: ours },
    extras: { ...extras, flags },
  };
}

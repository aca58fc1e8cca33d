// What changed in a span of time, for who takes over: events of the feed put together, so that a fault that came and
// went is one line, and a batch of tasks too. Pure; it knows no miner but by id, and leaves nothing out.
import { z } from 'zod';
import { ACTOR_TYPES, isEventTask } from '../task.ts';
import { commandWords } from '../tasks/command-words.ts';
import { type Change, type ChangeKind, kindOfEvent, type PastEvent } from './change-kinds.ts';
import { textOf } from './change-texts.ts';

export type Summary = {
  /** Newest first within a kind, the kinds in the order of their table. */
  readonly changes: readonly Change[];
  /** How many events of flags there were; the others are as many as the changes say. */
  readonly flagsRaised: number;
  readonly flagsCleared: number;
};

/** `events` in the order in which they happened. */
export function summarise(events: readonly PastEvent[]): Summary {
  const summary = beginSummary();
  summary.add(events);
  return summary.finish();
}

/** The same in portions. */
export function beginSummary() {
  const flags = createFlags();
  const batches = new Map<string, Batch>();
  const others: Change[] = [];
  return {
    /** In the order in which they happened, after those that were added before. */
    add(events: readonly PastEvent[]): void {
      for (const event of events) {
        if (flags.take(event) || takeTask(batches, event)) continue;
        others.push(single(kindOfEvent(event), event));
      }
    },
    finish(): Summary {
      const changes = [...flags.changes(), ...others, ...[...batches.values()].map(toTaskChange)];
      return { changes: changes.toSorted((a, b) => b.atMs - a.atMs), ...flags.counts };
    },
  };
}

const single = (kind: ChangeKind, event: PastEvent): Change => ({
  ...{ kind, atMs: event.atMs, endMs: null, minerId: event.minerId, agentId: event.agentId, events: 1 },
  ...{ text: textOf(kind, event), evidence: event.detail, by: actorOf(event.detail.actor) },
  unsuccessful: [],
});

const actorSchema = z.object({
  ...{ type: z.enum(ACTOR_TYPES), id: z.string(), name: z.string() },
  via: z.string().exactOptional(),
});

/** Most events have none. */
export const actorOf = (value: unknown): Change['by'] =>
  value === undefined ? null : (actorSchema.safeParse(value).data ?? null);

/** Puts each clearing together with the newest raise of the same flag that has none yet. */
function createFlags() {
  const open = new Map<string, PastEvent[]>();
  const done: Change[] = [];
  const counts = { flagsRaised: 0, flagsCleared: 0 };
  return {
    counts,
    /** False where the event is none of a flag. */
    take(event: PastEvent): boolean {
      const key = `${event.minerId} ${String(event.detail.flag)}`;
      if (event.type === 'flag_raised') {
        counts.flagsRaised++;
        open.set(key, [...(open.get(key) ?? []), event]);
        return true;
      }
      if (event.type !== 'flag_cleared') return false;
      counts.flagsCleared++;
      const raised = open.get(key)?.pop();
      const change = single(raised === undefined ? 'ended' : 'healed', raised ?? event);
      done.push({ ...change, endMs: event.atMs, events: raised === undefined ? 1 : 2 });
      return true;
    },
    changes: (): Change[] => [...done, ...[...open.values()].flat().map((event) => single('open', event))],
  };
}

type Batch = {
  readonly name: string;
  readonly minerIds: Set<string>;
  readonly outcomes: Record<string, number>;
  readonly unsuccessful: {
    readonly minerId: string | null;
    readonly status: string;
    readonly message: string | null;
  }[];
  readonly id: string | null;
  atMs: number;
  endMs: number | null;
  agentId: string | null;
  by: Change['by'];
  taskCount: number | null;
  events: number;
  /** In words of people, as far as the events tell it. */
  command: string | undefined;
};

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isTask = ({ type }: PastEvent) => type === 'task_created' || type === 'task_ended' || type === 'task_on_site';

/** False where the event is none of a task that was carried out. */
function takeTask(batches: Map<string, Batch>, event: PastEvent): boolean {
  if (!isTask(event)) return false;
  const { type, detail, minerId, atMs, agentId } = event;
  const name = text(detail.name) ?? '';
  // Of what operators change each miner has a line of its own: the batch says nothing more.
  if (isEventTask(name)) return type === 'task_created';
  const id = text(detail.task_batch_id) ?? text(detail.batch_id) ?? null;
  const key = id ?? text(detail.task_id) ?? `${name} ${minerId} ${atMs}`;
  const batch = batches.get(key) ?? newBatch(id, name, event);
  batches.set(key, batch);
  batch.events++;
  batch.agentId ??= agentId;
  batch.by = actorOf(detail.ordered_by) ?? actorOf(detail.actor) ?? batch.by;
  batch.command ??= text(detail.command) ?? commandWords(name, {});
  if (type === 'task_created') {
    batch.atMs = atMs;
    batch.taskCount = typeof detail.task_count === 'number' ? detail.task_count : null;
    return true;
  }
  const status = text(detail.status) ?? 'unknown';
  batch.outcomes[status] = (batch.outcomes[status] ?? 0) + 1;
  batch.endMs = atMs;
  if (minerId !== null) batch.minerIds.add(minerId);
  if (status !== 'succeeded') batch.unsuccessful.push({ minerId, status, message: text(detail.message) ?? null });
  return true;
}

const newBatch = (id: string | null, name: string, { atMs, agentId }: PastEvent): Batch => ({
  ...{ id, name, minerIds: new Set(), outcomes: Object.create(null), unsuccessful: [], atMs, endMs: null, agentId },
  ...{ by: null, taskCount: null, events: 0, command: undefined },
});

function toTaskChange(batch: Batch): Change {
  const { id, name, minerIds, outcomes, unsuccessful, atMs, endMs, agentId, by, taskCount, events } = batch;
  const what = batch.command ?? name;
  const ended = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const [only, ...more] = minerIds;
  const count = Math.max(taskCount ?? 0, ended);
  const counted = Object.entries(outcomes).map(([status, some]) => `${some} ${status}`);
  return {
    ...{ kind: 'task', atMs, endMs, agentId, events, by, unsuccessful },
    minerId: count === 1 && more.length === 0 ? (only ?? null) : null,
    text: `${what}, ${count === 1 ? 'one task' : `${count} tasks`}: ${counted.join(', ') || 'none has ended'}`,
    evidence: { task_batch_id: id, name, task_count: taskCount, outcomes: { ...outcomes } },
  };
}

// Lines of work that a person has put aside on this device: done, so that they come back only when a miner has the
// trouble anew, or not today, so that they come back tomorrow.
import type { Kept } from '../../kept.ts';
import type { WorkLine } from '../../model/causes.ts';

/** Of more than so many the oldest is forgotten. */
const MOST = 200;

type Mark = {
  readonly how: 'done' | 'notToday';
  readonly atMs: number;
  readonly count: number;
};
type Marks = Readonly<Record<string, Mark>>;

export type Aside = {
  isAside(line: WorkLine, nowMs: number): boolean;
  mark(line: WorkLine, how: Mark['how'] | 'back', nowMs: number): Aside;
};

export function createAside(kept: Kept, farmId: string): Aside {
  const name = `aside.${farmId}`;
  const withMarks = (marks: Marks): Aside => ({
    isAside: (line, nowMs) => isMarked(marks[line.key], line, nowMs),
    mark(line, how, nowMs) {
      const { [line.key]: _, ...others } = marks;
      const next = how === 'back' ? others : { ...others, [line.key]: { how, atMs: nowMs, count: line.count } };
      const bounded = Object.fromEntries(Object.entries(next).slice(-MOST));
      kept.write(name, JSON.stringify(bounded));
      return withMarks(bounded);
    },
  });
  return withMarks(read(kept.read(name)));
}

function read(text: string | undefined): Marks {
  try {
    const marks: Readonly<Record<string, Mark | null>> = Object(JSON.parse(text ?? '{}'));
    return Object.fromEntries(Object.entries(marks).flatMap(([key, mark]) => (mark === null ? [] : [[key, mark]])));
  } catch {
    return {};
  }
}

function isMarked(mark: Mark | undefined, { count, newestMs }: WorkLine, nowMs: number): boolean {
  if (mark === undefined) return false;
  if (mark.how === 'notToday') return new Date(mark.atMs).toDateString() === new Date(nowMs).toDateString();
  // More miners, or one that has it since then: that is new work.
  return count <= mark.count && (newestMs ?? 0) <= mark.atMs;
}

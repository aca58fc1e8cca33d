// Large requests wait here and are served one at a time, in a fair order: the workspace that has been served least goes
// first, however many requests another one has waiting. Every wait ends, and each workspace has room for so many
// requests that wait, and for so much that was served and is not read yet.
import type { Cancel, Clock } from '../../../base/clock.ts';

/** Of one workspace. */
const MAX_WAITING = 64;
const MAX_WAIT_MS = 10_000;

type Waiting = { readonly cost: number; readonly begin: () => void };
type Line = {
  /** Points that it has been served, counted from the least served one when it came. */
  served: number;
  readonly waiting: Waiting[];
};

export type LargeLine = ReturnType<typeof createLargeLine>;

/** Why a request was not served: too many of its workspace wait, it has waited too long, or its client has gone. */
export type LineRefusal = 'full' | 'late' | 'gone';

/** `refused` makes the error of a request that is not served; `hasRoom`: one of the workspace may begin. */
export function createLargeLine(
  clock: Pick<Clock, 'after'>,
  refused: (why: LineRefusal) => Error,
  hasRoom: (workspaceId: string) => boolean = () => true,
) {
  /** Of workspaces with requests that wait or are served. */
  const lines = new Map<string, Line>();
  let isServing = false;
  /** The points that the workspace had that was served last. */
  let leastServed = 0;

  const serveNext = () => {
    if (isServing) return;
    let next: Line | undefined;
    for (const [workspaceId, line] of lines) {
      if (line.waiting.length === 0) lines.delete(workspaceId);
      else if ((next === undefined || line.served < next.served) && hasRoom(workspaceId)) next = line;
    }
    const waiting = next?.waiting.shift();
    if (next === undefined || waiting === undefined) return;
    isServing = true;
    leastServed = next.served;
    next.served += waiting.cost;
    waiting.begin();
  };

  const wait = (workspaceId: string, cost: number, gone: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const line = lines.get(workspaceId) ?? { served: leastServed, waiting: [] };
      if (line.waiting.length >= MAX_WAITING) {
        reject(refused('full'));
        return;
      }
      let cancel: Cancel = () => {};
      const stopWaiting = () => {
        cancel();
        gone.removeEventListener('abort', onGone);
      };
      const leave = (why: LineRefusal) => {
        stopWaiting();
        line.waiting.splice(line.waiting.indexOf(waiting), 1);
        reject(refused(why));
      };
      const onGone = () => leave('gone');
      const waiting: Waiting = {
        cost,
        begin() {
          stopWaiting();
          resolve();
        },
      };
      cancel = clock.after(MAX_WAIT_MS, () => leave('late'), { unref: true });
      gone.addEventListener('abort', onGone, { once: true });
      lines.set(workspaceId, line);
      line.waiting.push(waiting);
      serveNext();
    });

  return {
    /** There may be room again. */
    serveNext,
    /** Rejects with what `refused` gives, or as `work` does. `gone` aborts when nothing is to be served any more. */
    async run<T>(
      { workspaceId, cost, gone }: { workspaceId: string; cost: number; gone: AbortSignal },
      work: () => Promise<T> | T,
    ): Promise<T> {
      if (gone.aborted) throw refused('gone');
      await wait(workspaceId, cost, gone);
      try {
        return await work();
      } finally {
        isServing = false;
        serveNext();
      }
    },
  };
}

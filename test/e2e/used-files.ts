// Which files of `src` had a function executed, in the order of their first use. A module's own top level does not
// count.
import { Session } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What every file may use: the words and tools of the whole program. */
const EVERYWHERE = /^src\/(base|model)\//;

/**
 * Starts to count calls in this process. All of it is synchronous, so that a window can begin and end inside a call.
 */
export function startCoverage() {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const seen = new Set<string>();
  let isOpen = false;

  /** Takes the counters, which begins them anew: what is new since the last time was used after it. */
  const look = () => {
    session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw error;
      for (const { url, functions } of taken.result) {
        const path = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
        if (!path.startsWith('src/') || EVERYWHERE.test(path)) continue;
        if (functions.some(({ ranges: [whole] }) => whole !== undefined && whole.count > 0 && whole.startOffset > 0))
          seen.add(path);
      }
    });
  };
  /**
   * Often while there is something new, so that the order is right; else now and then, so that waiting costs little.
   */
  const follow = () => {
    if (!isOpen) return;
    const before = seen.size;
    look();
    if (seen.size > before) setImmediate(follow);
    else setTimeout(follow, 2);
  };
  return {
    /** Forgets what was used until now. */
    begin(): void {
      look();
      seen.clear();
      if (isOpen) return;
      isOpen = true;
      setImmediate(follow);
    },
    /** The files that were used since `begin`. */
    end(): string[] {
      look();
      isOpen = false;
      return [...seen];
    },
  };
}

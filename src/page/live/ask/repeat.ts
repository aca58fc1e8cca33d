// Does something again and again while the page is shown: the next time begins a while after the last one has ended.
import { after } from '../../time.ts';

/** Begins at once; gives its end. */
export function repeat(everyMs: number, work: (abort: AbortSignal) => Promise<void>): () => void {
  const ended = new AbortController();
  let cancel = () => {};
  let isRunning = false;
  const look = () => void run();
  const run = async () => {
    cancel();
    if (isRunning || ended.signal.aborted || document.visibilityState !== 'visible') return;
    isRunning = true;
    try {
      await work(ended.signal);
    } finally {
      isRunning = false;
      if (!ended.signal.aborted) cancel = after(everyMs, look);
    }
  };
  document.addEventListener('visibilitychange', look);
  void run();
  return () => {
    ended.abort();
    cancel();
    document.removeEventListener('visibilitychange', look);
  };
}

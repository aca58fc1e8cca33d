// The stream of one farm: reads its board every second, and sends each reader what it lacks. It runs until it is ended.
import { type Clock, loop } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import { type Log, oncePerMinute } from '../../../base/log.ts';
import type { FarmBoard } from '../board.ts';
import { createFrames } from './frames.ts';
import type { Viewer } from './viewer.ts';

const EVERY_MS = 1_000;
/** How old the rows may be that are sent: others may have had them read since the last time. */
const FRESH_MS = 500;

export type FarmStream = ReturnType<typeof createFarmStream>;

export function createFarmStream(farmId: string, board: Pick<FarmBoard, 'state'>, clock: Clock, log: Log) {
  const viewers = new Set<Viewer>();
  const ending = new AbortController();
  const frameOf = createFrames();

  const sendAll = async () => {
    for (const viewer of viewers) viewer.tend();
    const state = await board.state(FRESH_MS);
    for (const viewer of viewers) {
      if (!viewer.isOpen() || !viewer.hasRoom()) continue;
      const frame = await frameOf(state, viewer.epoch, viewer.seq());
      if (viewer.isOpen()) viewer.send(frame);
    }
  };
  const onError = oncePerMinute(clock, (error) =>
    log.warn({ farmId, error: renderError(error) }, 'reading a board for its stream failed; it is read again'),
  );
  const running = loop(clock, { intervalMs: EVERY_MS, signal: ending.signal, onError }, sendAll);

  return {
    /** What it lacks now it is sent at once. Throws where the board cannot be read. */
    async add(viewer: Viewer): Promise<void> {
      const frame = await frameOf(await board.state(), viewer.epoch, viewer.seq());
      if (!viewer.isOpen()) return;
      viewer.send(frame);
      viewers.add(viewer);
    },
    remove: (viewer: Viewer): boolean => viewers.delete(viewer),
    async end(): Promise<void> {
      ending.abort();
      await running;
    },
  };
}

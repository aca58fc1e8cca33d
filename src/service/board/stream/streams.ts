// Open streams of boards. It bounds how many there are, looks now and then whether their readers may still have them,
// and closes them when the service stops. It does not decide who may open one.
import type { WebSocket } from 'ws';
import type { Clock } from '../../../base/clock.ts';
import { RefusedError, renderError } from '../../../base/errors.ts';
import { createRound, type Part } from '../../../base/lifecycle.ts';
import type { Log } from '../../../base/log.ts';
import type { FarmBoard } from '../board.ts';
import { createFarmStream, type FarmStream } from './farm-stream.ts';
import { CLOSE, createViewer, type Viewer } from './viewer.ts';

const RECHECK_MS = 60_000;
/** On each copy. */
export const MOST_VIEWERS = { ofCaller: 100, ofWorkspace: 250, inAll: 1_000 } as const;
/** For readers to answer the goodbye, when the service stops and where there is no room. */
const STOP_MS = 1_000;
const STOPS = 'the service stops';

export type StreamRequest = {
  readonly socket: WebSocket;
  readonly farmId: string;
  /** Of the caller, and the id of its key or of the person. */
  readonly workspaceId: string;
  readonly callerId: string;
  /** What the reader has. */
  readonly epoch: string | undefined;
  readonly since: number;
  /** Throws RefusedError when the caller may no longer read this. */
  readonly recheck: () => Promise<void>;
};

type Open = StreamRequest & { readonly viewer: Viewer; failures: number };
type StreamParts = {
  /** See `Boards`. */
  readonly boards: { keep(farmId: string): { readonly board: Pick<FarmBoard, 'state'>; release(): void } | undefined };
  readonly clock: Clock;
  readonly log: Log;
};
type OfFarm = { readonly stream: FarmStream; readonly release: () => void; readers: number };

export type BoardStreams = ReturnType<typeof createBoardStreams>;

export function createBoardStreams({ boards, clock, log }: StreamParts) {
  const open = new Set<Open>();
  const following = new Set<Promise<void>>();
  const farms = createFarms({ boards, clock, log });
  let isStopping = false;

  const follow = async (one: Open) => {
    const { farmId, viewer } = one;
    const ofFarm = farms.take(farmId);
    if (ofFarm === undefined)
      return viewer.close(CLOSE.full, 'too many farms are streamed by this copy of the service');
    try {
      await ofFarm.stream.add(viewer);
      const code = await viewer.closed;
      log.info({ farmId, code }, 'a stream of a board is over');
    } catch (error) {
      log.warn({ farmId, error: renderError(error) }, 'a stream of a board cannot begin');
      viewer.close(CLOSE.unavailable, 'the board cannot be read now');
    } finally {
      ofFarm.stream.remove(viewer);
      farms.release(farmId);
    }
  };
  const recheck = async () => {
    for (const one of open) await recheckOne(one);
  };
  const round = createRound('looking whether readers of boards may still have them', RECHECK_MS, recheck, clock, log);

  return {
    /** The reader gets what it lacks at once and then each second what has changed, until the socket is closed. */
    open(request: StreamRequest): void {
      const { socket, epoch, since } = request;
      socket.on('error', (error) => log.debug({ error: renderError(error) }, 'the socket of a board failed'));
      const viewer = createViewer(socket, { epoch, seq: since }, clock);
      const refusal = isStopping ? STOPPED : fullness(open, request);
      if (refusal !== undefined) {
        viewer.close(refusal.code, refusal.reason, STOP_MS);
        return;
      }
      const one: Open = { ...request, viewer, failures: 0 };
      open.add(one);
      void viewer.closed.then(() => open.delete(one));
      const done = follow(one).finally(() => following.delete(done));
      following.add(done);
    },
    /** Sessions of the person were ended, or it may do other things now. */
    recheckOf(callerId: string): void {
      for (const one of open) if (one.callerId === callerId) void recheckOne(one);
    },
    part: {
      name: 'board streams',
      start: round.start,
      async stop() {
        isStopping = true;
        for (const { viewer } of open) viewer.close(CLOSE.restart, STOPS, STOP_MS);
        await Promise.all([round.stop(), ...following]);
        await farms.ended();
      },
    } satisfies Part,
  };
}

type Refusal = { readonly code: number; readonly reason: string };
const STOPPED: Refusal = { code: CLOSE.restart, reason: STOPS };

/** Why there is no room for one more; undefined = there is. */
function fullness(open: ReadonlySet<Open>, { workspaceId, callerId }: StreamRequest): Refusal | undefined {
  const all = [...open];
  const ofWorkspace = all.filter((one) => one.workspaceId === workspaceId);
  const { length: ofCaller } = ofWorkspace.filter((one) => one.callerId === callerId);
  const { ofCaller: mostOfCaller, ofWorkspace: mostOfWorkspace, inAll } = MOST_VIEWERS;
  if (ofCaller < mostOfCaller && ofWorkspace.length < mostOfWorkspace && all.length < inAll) return undefined;
  const reason = `accepted: ${mostOfCaller} streams of one key, ${mostOfWorkspace} of a workspace, ${inAll} in all`;
  return { code: CLOSE.full, reason };
}

async function recheckOne(one: Open): Promise<void> {
  try {
    await one.recheck();
    one.failures = 0;
  } catch (error) {
    if (error instanceof RefusedError)
      one.viewer.close(CLOSE.revoked, 'the key, the grant or the session no longer allows it');
    else if (++one.failures > 1) one.viewer.close(CLOSE.unavailable, 'the service cannot look whether it is allowed');
  }
}

/** The farms that are streamed. */
function createFarms({ boards, clock, log }: StreamParts) {
  const farms = new Map<string, OfFarm>();
  /** Those that are over and have not ended. */
  const ending = new Set<Promise<void>>();
  return {
    /** Undefined = there are too many. Otherwise `release` has to be called once. */
    take(farmId: string): OfFarm | undefined {
      let ofFarm = farms.get(farmId);
      if (ofFarm === undefined) {
        const kept = boards.keep(farmId);
        if (kept === undefined) return undefined;
        const { board, release } = kept;
        ofFarm = { stream: createFarmStream(farmId, board, clock, log), release, readers: 0 };
        farms.set(farmId, ofFarm);
      }
      ofFarm.readers++;
      return ofFarm;
    },
    release(farmId: string): void {
      const ofFarm = farms.get(farmId);
      if (ofFarm === undefined || --ofFarm.readers > 0) return;
      farms.delete(farmId);
      ofFarm.release();
      const ended = ofFarm.stream.end().finally(() => ending.delete(ended));
      ending.add(ended);
    },
    ended: async (): Promise<void> => void (await Promise.all(ending)),
  };
}

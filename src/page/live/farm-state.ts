// One farm as the page knows it now: its miners, how fresh they are, its agents, and what this person may do. It begins
// when a person comes to the farm and ends when they leave.
import { computed, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { BoardMiner } from '../../model/board/board-miner.ts';
import type { Permission } from '../../model/permissions/permissions.data.ts';
import { enoughFor } from '../../model/permissions/permissions.ts';
import type { BoardMessage } from '../../wire/api/board/messages.ts';
import type { BoardReader } from '../../wire/api/board/reader.ts';
import type { Session } from '../../wire/api/people/session.ts';
import { farmPath } from '../api/paths.ts';
import type { Answer } from '../api/request.ts';
import type { AppState } from '../app-state.ts';
import { noNames } from '../model/list/find.ts';
import { after, nowMs } from '../time.ts';
import { createAgents } from './agents.ts';
import { repeat } from './ask/repeat.ts';
import { ASK_EVERY_MS, Feed, type FeedSocket, type Had, HIDDEN_MS } from './feed.ts';
import { freshnessOf, START } from './liveness.ts';
import { createWaitingChanges } from './waiting-changes.ts';

export type FarmState = ReturnType<typeof createFarmState>;
export type FarmOfSession = Session['farms'][number];

/** What an administrator has changed of this person is seen so soon, also by who only looks. */
const LOOK_EVERY_MS = 10_000;
const NONE: readonly BoardMiner[] = [];

export function createFarmState(app: AppState, farm: FarmOfSession) {
  const ref = { id: farm.id, workspaceId: farm.workspace_id };
  const miners = signal<readonly BoardMiner[] | undefined>(undefined);
  const liveness = signal(START);
  const agents = createAgents(app, ref);
  const waiting = createWaitingChanges(app, ref);
  const fetchBoard = async ({ epoch, seq }: Had, abort: AbortSignal): Promise<BoardMessage | undefined> => {
    const since = epoch === '' ? '' : `?epoch=${encodeURIComponent(epoch)}&since=${seq}`;
    const outcome = await app.ask<Answer<BoardMessage>>({ path: farmPath(ref, `board${since}`), signal: abort });
    return outcome.kind === 'ok' ? outcome.answer.data : undefined;
  };
  let board: BoardReader | undefined;
  let shown: Had = { epoch: '', seq: 0 };
  const feed = new Feed({
    fetchBoard,
    openSocket: (had, on) =>
      openSocket(farmPath(ref, 'board/stream'), had, {
        frame: on.frame,
        close() {
          // The service ends the socket of a person who may not read this farm any more.
          void app.lookAgain();
          on.close();
        },
      }),
    after,
    nowMs,
    random: Math.random,
    onBoard: (fresh) => {
      app.noteNews(fresh.atMs);
      // Where nothing has changed, nothing is drawn anew.
      if (shown.epoch === fresh.epoch && shown.seq === fresh.seq) return;
      // Another epoch: the service was started again, or another copy of it answers.
      if (shown.epoch !== '' && shown.epoch !== fresh.epoch) void app.build.check();
      shown = { epoch: fresh.epoch, seq: fresh.seq };
      board = fresh;
      miners.value = [...fresh.rows.values()];
    },
    onLiveness: (state) => {
      liveness.value = state;
    },
  });
  const all = computed(() => miners.value ?? NONE);
  return {
    farm,
    ref,
    /** False before the first miners have come: until then nothing may be said of how many there are. */
    isKnown: computed(() => miners.value !== undefined),
    miners: all,
    /** By which a person looks for them. */
    names: noNames(),
    /** Undefined = there is none such now. Who asks is drawn anew when a miner changes. */
    minerOf: (id: string): BoardMiner | undefined => (miners.value === undefined ? undefined : board?.minerOf(id)),
    /** By the clock of this device, as all that it measures. */
    freshness: computed(() => freshnessOf(liveness.value, ASK_EVERY_MS, app.tickMs.value)),
    agents,
    /** Changes that wait for the network. */
    waiting,
    may: (permission: Permission): boolean => enoughFor(permission).some((one) => farm.permissions.includes(one)),
    again: () => feed.again(),
    /** Gives the end of it. */
    start(): () => void {
      const stopFeed = whileShown(feed);
      const stopAgents = agents.start();
      const stopWaiting = waiting.start();
      const stopLooking = repeat(LOOK_EVERY_MS, app.lookAgain);
      return () => {
        stopFeed();
        stopAgents();
        stopWaiting();
        stopLooking();
      };
    },
  };
}

function openSocket(
  path: string,
  { epoch, seq }: Had,
  on: { readonly frame: (data: string | ArrayBuffer) => void; readonly close: () => void },
): FeedSocket {
  const { protocol, host } = location;
  const scheme = protocol === 'https:' ? 'wss' : 'ws';
  const socket = new WebSocket(`${scheme}://${host}${path}?epoch=${encodeURIComponent(epoch)}&since=${seq}`);
  socket.binaryType = 'arraybuffer';
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string' || data instanceof ArrayBuffer) on.frame(data);
  };
  socket.onclose = on.close;
  return {
    close() {
      socket.onclose = null;
      socket.close();
    },
  };
}

/** A page that is hidden for long rests; it begins anew when it is shown. */
function whileShown(feed: Feed): () => void {
  let stopHiding = () => {};
  const look = () => {
    stopHiding();
    if (document.visibilityState === 'visible') feed.start();
    else stopHiding = after(HIDDEN_MS, () => feed.stop());
  };
  const online = () => feed.again();
  document.addEventListener('visibilitychange', look);
  addEventListener('online', online);
  look();
  return () => {
    stopHiding();
    document.removeEventListener('visibilitychange', look);
    removeEventListener('online', online);
    feed.stop();
  };
}

export const FarmContext = createContext<FarmState | undefined>(undefined);

export function useFarm(): FarmState {
  const farm = useContext(FarmContext);
  if (farm === undefined) throw new Error('draw a part of a farm: no farm is open');
  return farm;
}

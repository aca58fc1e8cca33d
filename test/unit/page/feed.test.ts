// The board of a farm on a page, with a service and sockets that do as the test says, and a clock that it moves.
import { expect, test } from 'vitest';
import { Feed, type FeedSocket, type Had } from '../../../src/page/live/feed.ts';
import { freshnessOf, type Liveness, START } from '../../../src/page/live/liveness.ts';
import type { BoardMessage } from '../../../src/wire/api/board/messages.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const SECOND = 1_000;
const ASK_MS = 5 * SECOND;

/** A board without miners: what is looked at here is how messages come. */
const board = (seq: number, isSnapshot: boolean, epoch = 'e'): BoardMessage => ({
  ...{ epoch, seq, at: '2026-06-01T00:00:00.000Z', is_snapshot: isSnapshot, removed: [], unmatched: [], lacks: [] },
  dictionaries: { kinds: [], drivers: [], places: [], agents: [], pools: [], firmware: [], modes: [], flags: [] },
  facts: {
    ...{ row: [], id: [], key: null, ip: [], mac: [], serial: [], hostname: [], kind: [], driver: [], agent: [] },
    ...{ firmware: [], place: [], position: [], ops_status: [], mode: [], expected_hashrate: [], pool: [], worker: [] },
    created_ago: [],
  },
  columns: {
    ...{ row: [], state: [], flags: [], flag: [], flag_ago: [], hashrate: [], power: [], temperature: [], fan: [] },
    ...{ uptime: [], seen_ago: [] },
  },
});
const still = (seq: number) => JSON.stringify({ seq, at: '2026-06-01T00:00:01.000Z' });

type Opened = {
  readonly had: Had;
  readonly atMs: number;
  isClosed: boolean;
  frame(data: string | ArrayBuffer): void;
  /** By the service, or something between. */
  close(): void;
};

/** `answer` undefined = the service does not answer well; a promise may never come. */
function createScene(answer: () => BoardMessage | undefined | Promise<BoardMessage | undefined>) {
  const clock = createVirtualClock();
  const beganMs = clock.nowMs();
  const asked: { readonly had: Had; readonly atMs: number; readonly signal: AbortSignal }[] = [];
  const sockets: Opened[] = [];
  const seen = { boards: 0, liveness: START };
  const scene = {
    ...{ clock, asked, sockets, seen, answer, random: 1, isWithoutSockets: false },
    atMs: () => clock.nowMs() - beganMs,
    freshness: () => freshnessOf(seen.liveness, ASK_MS, scene.atMs()).kind,
    newest(): Opened {
      const last = sockets.at(-1);
      if (last === undefined) throw new Error('look at the newest socket: none was opened');
      return last;
    },
  };
  const feed = new Feed({
    fetchBoard: async ({ epoch, seq }, signal) => {
      asked.push({ had: { epoch, seq }, atMs: scene.atMs(), signal });
      return scene.answer();
    },
    openSocket({ epoch, seq }, on): FeedSocket {
      if (scene.isWithoutSockets) throw new Error('WebSocket is not defined');
      const opened: Opened = { had: { epoch, seq }, atMs: scene.atMs(), isClosed: false, ...on };
      sockets.push(opened);
      return {
        close: () => {
          opened.isClosed = true;
        },
      };
    },
    after: (ms, work) => clock.after(ms, work),
    nowMs: scene.atMs,
    random: () => scene.random,
    onBoard: () => {
      seen.boards += 1;
    },
    onLiveness: (liveness: Liveness) => {
      seen.liveness = liveness;
    },
  });
  return { ...scene, scene, feed, open: () => sockets.filter(({ isClosed }) => !isClosed).length };
}

type Scene = ReturnType<typeof createScene>;

async function started(answer: Parameters<typeof createScene>[0] = () => board(1, true)): Promise<Scene> {
  const made = createScene(answer);
  made.feed.start();
  await made.clock.settle();
  return made;
}

/** A frame each second, as the service sends it. */
async function frames({ scene, clock }: Scene, count: number) {
  for (let n = 0; n < count; n++) {
    scene.newest().frame(still(1));
    await clock.advance(SECOND);
  }
}

/** Closes each socket that is there after a second, until the page gives up on them. */
async function blockSockets(made: Scene) {
  for (let n = 0; n < 3; n++) {
    made.scene.newest().close();
    await made.clock.advance(4 * SECOND);
  }
}

test('all is asked for, then a socket goes on from there and keeps the page live', async () => {
  const made = await started();
  expect(made.asked.map(({ had }) => had)).toEqual([{ epoch: '', seq: 0 }]);
  expect(made.sockets.map(({ had }) => had)).toEqual([{ epoch: 'e', seq: 1 }]);
  await frames(made, 30);
  expect([made.asked.length, made.sockets.length, made.open(), made.freshness()]).toEqual([1, 1, 1, 'live']);
  expect(made.seen.boards).toBe(31);
});

test('three sockets without a frame, and the page asks each five seconds', async () => {
  const made = await started();
  await blockSockets(made);
  const before = made.asked.length;
  await made.clock.advance(60 * SECOND);
  expect(made.sockets).toHaveLength(3);
  expect(made.asked.length - before).toBe(12);
  expect(made.freshness()).toBe('asking');
  // It has the board: only what has changed is asked for.
  expect(made.asked.at(-1)?.had).toEqual({ epoch: 'e', seq: 1 });
});

/** Time goes on to the next socket; how long that was, in seconds. */
async function nextSocket({ clock, sockets, atMs }: Scene): Promise<number> {
  const [count, fromMs] = [sockets.length, atMs()];
  while (sockets.length === count && atMs() - fromMs < 3_600 * SECOND) await clock.advance(SECOND);
  return (atMs() - fromMs) / SECOND;
}

test('a page whose sockets are blocked tries one each five minutes, and stays with it when it works', async () => {
  const made = await started();
  await blockSockets(made);
  for (let n = 0; n < 2; n++) {
    const passedS = await nextSocket(made);
    expect(passedS).toBeGreaterThan(290);
    // The silence of the last one, and the time to the next question.
    expect(passedS).toBeLessThanOrEqual(300 + 5 + 5 + 1);
    expect([made.open(), made.freshness()]).toEqual([1, 'asking']);
  }
  const before = made.asked.length;
  await frames(made, 20);
  expect([made.sockets.length, made.asked.length, made.freshness()]).toEqual([5, before, 'live']);
});

test('a person who asks again has a socket tried at once, though they are blocked', async () => {
  const made = await started();
  await blockSockets(made);
  await made.clock.advance(10 * SECOND);
  made.feed.again();
  await made.clock.settle();
  expect(made.sockets).toHaveLength(4);
});

test('a browser without sockets asks each five seconds', async () => {
  const made = createScene(() => board(1, true));
  made.scene.isWithoutSockets = true;
  made.feed.start();
  await made.clock.advance(60 * SECOND);
  expect(made.freshness()).toBe('asking');
  expect(made.asked.length).toBeGreaterThan(10);
});

test.each([
  ['that rows are not as the page has them', still(7)],
  ['that all is to be asked for anew', '{"type":"snapshot"}'],
  ['nothing that can be read', '{"seq":'],
  ['nothing', 'null'],
  ['of changes to another epoch', JSON.stringify(board(2, false, 'f'))],
  ['what is not packed as it should be', new TextEncoder().encode('no gzip').buffer],
])('a frame that says %s: all is asked anew', async (_, frame) => {
  const made = await started();
  await frames(made, 3);
  made.scene.newest().frame(frame);
  // Unpacking takes the time of the machine, and not of this clock.
  await expect.poll(() => made.sockets[0]?.isClosed).toBe(true);
  await made.clock.advance(SECOND);
  expect(made.asked.map(({ had }) => had)).toEqual([
    { epoch: '', seq: 0 },
    { epoch: '', seq: 0 },
  ]);
  await frames(made, 3);
  expect([made.open(), made.freshness()]).toEqual([1, 'live']);
});

test('frames are read in their order', async () => {
  const made = await started();
  for (const seq of [2, 3, 4]) made.scene.newest().frame(JSON.stringify(board(seq, false)));
  made.scene.newest().frame(still(4));
  await made.clock.settle();
  expect([made.seen.boards, made.open(), made.asked.length]).toEqual([5, 1, 1]);
});

test('a service that answers what fits nothing is asked less and less', async () => {
  const made = await started(() => board(2, false));
  await made.clock.advance(300 * SECOND);
  expect(made.asked.length).toBeLessThan(16);
  expect(made.asked.at(-1)?.had).toEqual({ epoch: '', seq: 0 });
  expect([made.seen.boards, made.freshness()]).toEqual([0, 'waiting']);
});

test('a service whose sockets only say that all is to be asked anew is asked each five seconds at most', async () => {
  const made = await started();
  for (let n = 0; n < 60; n++) {
    if (made.open() > 0) made.scene.newest().frame('{"type":"snapshot"}');
    await made.clock.advance(SECOND);
  }
  expect(made.sockets).toHaveLength(3);
  expect(made.asked.length).toBeLessThan(18);
});

test('five seconds of silence end a socket, and the page goes on where it was', async () => {
  const made = await started();
  await frames(made, 3);
  await made.clock.advance(3.9 * SECOND);
  expect(made.open()).toBe(1);
  await made.clock.advance(0.2 * SECOND);
  expect(made.open()).toBe(0);
  await made.clock.advance(SECOND);
  expect(made.asked.at(-1)?.had).toEqual({ epoch: 'e', seq: 1 });
  expect(made.open()).toBe(1);
});

test('a service that is away is asked after pauses that grow to half a minute, and for ever', async () => {
  const made = await started(() => undefined);
  await made.clock.advance(600 * SECOND);
  const pauses = made.asked.slice(1).map(({ atMs }, n) => (atMs - (made.asked[n]?.atMs ?? 0)) / SECOND);
  expect(pauses.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 30, 30]);
  expect(pauses.slice(7).every((pause) => pause === 30)).toBe(true);
  made.scene.answer = () => board(1, true);
  // The next try is at 601 s.
  await made.clock.advance(SECOND);
  await frames(made, 2);
  expect(made.freshness()).toBe('live');
});

test('chance halves a pause at most', async () => {
  const made = createScene(() => undefined);
  made.scene.random = 0;
  made.feed.start();
  await made.clock.advance(4 * SECOND);
  expect(made.asked.map(({ atMs }) => atMs)).toEqual([0, 500, 1_500, 3_500]);
});

test('a question that breaks is a failure like others', async () => {
  const made = await started(() => Promise.reject(new Error('cut')));
  await made.clock.advance(SECOND);
  expect(made.asked).toHaveLength(2);
});

test('nothing happens after the end, and it begins where it ended', async () => {
  const made = await started();
  await frames(made, 2);
  const ended = made.scene.newest();
  made.feed.stop();
  expect([made.open(), made.clock.pending()]).toEqual([0, 0]);
  ended.frame(still(1));
  ended.close();
  await made.clock.advance(60 * SECOND);
  expect([made.asked.length, made.sockets.length, made.seen.boards]).toEqual([1, 1, 3]);
  made.feed.again();
  await made.clock.settle();
  expect(made.asked).toHaveLength(1);
  made.feed.start();
  made.feed.start();
  await made.clock.settle();
  expect(made.asked.slice(1).map(({ had }) => had)).toEqual([{ epoch: 'e', seq: 1 }]);
});

test('an answer that comes after the end, or after another question, is not taken', async () => {
  const late = Promise.withResolvers<BoardMessage>();
  const made = await started(() => late.promise);
  made.feed.again();
  expect(made.asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  made.feed.stop();
  late.resolve(board(1, true));
  await made.clock.settle();
  expect([made.seen.boards, made.sockets.length, made.asked[1]?.signal.aborted]).toEqual([0, 0, true]);
});

test('again asks at once and leaves one socket', async () => {
  const made = await started(() => undefined);
  await made.clock.advance(20 * SECOND);
  made.scene.answer = () => board(1, true);
  const before = made.asked.length;
  made.feed.again();
  await made.clock.settle();
  expect([made.asked.length - before, made.open()]).toEqual([1, 1]);
  made.feed.again();
  await made.clock.settle();
  expect(made.open()).toBe(1);
});

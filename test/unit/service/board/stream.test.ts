// Streams of boards: whatever a reader misses, it ends with the rows that a new reader has; one that does not read is
// skipped, then caught up, and in the end cut.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { BoardRows } from '../../../../src/model/board/board-rows.ts';
import type { SelectableMiner } from '../../../../src/model/selector/selector.ts';
import { createFrames, type Frame } from '../../../../src/service/board/stream/frames.ts';
import { createBoardStreams, MOST_VIEWERS } from '../../../../src/service/board/stream/streams.ts';
import { type BoardState, boardSince } from '../../../../src/wire/api/board/answer.ts';
import { type BoardStreamMessage, boardStreamSchema } from '../../../../src/wire/api/board/messages.ts';
import { BoardReader, streamText } from '../../../../src/wire/api/board/reader.ts';
import { loopback } from '../../../support/loopback.ts';
import { anyMiner, boardMiner, NOW_MS } from '../../model/board/board-miners.ts';

const stateOf = (epoch: string, rows: BoardRows, atMs = NOW_MS): BoardState => ({ epoch, rows, atMs, lacks: [] });

const sent = (message: BoardStreamMessage) => boardStreamSchema.parse(JSON.parse(JSON.stringify(message)));

async function messageOf({ data, isCompressed }: Pick<Frame, 'data' | 'isCompressed'>) {
  const text = await streamText(isCompressed ? new Uint8Array(data).buffer : data.toString());
  return boardStreamSchema.parse(JSON.parse(text));
}

const IDS = ['0197a000-0000-7000-8000-000000000001', 'key 2', '=3', '0197a000-0000-7000-8000-000000000004'];
const farm = fc
  .subarray(IDS)
  .chain((ids) => fc.tuple(...ids.map(anyMiner)))
  .map((miners): readonly SelectableMiner[] => miners);
/** The service starts anew, the farm changes, and the reader gets the frame of the second, none, or connects again. */
const step = fc.record({
  miners: farm,
  passedMs: fc.integer({ min: 0, max: 7_200_000 }),
  happens: fc.constantFrom('frame', 'skipped', 'reconnects', 'restart'),
});

it('gives a reader the rows of a new reader, whatever it has missed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const frameOf = createFrames();
      const reader = new BoardReader();
      let [epoch, rows, atMs] = ['e0', new BoardRows(), NOW_MS];
      /** What the service knows of the open connection. */
      let viewer: { epoch: string | undefined; seq: number } | undefined;
      const receive = async (state: BoardState) => {
        viewer ??= { epoch: reader.epoch, seq: reader.seq };
        const frame = await frameOf(state, viewer.epoch, viewer.seq);
        if (reader.apply(await messageOf(frame)).kind === 'rows') {
          viewer.seq = frame.seq ?? -1;
          return;
        }
        reader.apply(sent(boardSince(state)));
        viewer = { epoch: reader.epoch, seq: reader.seq };
      };
      for (const [n, { miners, passedMs, happens }] of steps.entries()) {
        atMs += passedMs;
        if (happens === 'restart') [epoch, rows, viewer] = [`e${n + 1}`, new BoardRows(), undefined];
        if (happens === 'reconnects') viewer = undefined;
        rows.takeAll(miners, atMs);
        const state = stateOf(epoch, rows, atMs);
        if (happens === 'skipped') continue;
        await receive(state);
        const fresh = new BoardReader();
        fresh.apply(sent(boardSince(state)));
        const byRow = (all: BoardReader) => [...all.rows].toSorted(([a], [b]) => a - b);
        expect(byRow(reader)).toEqual(byRow(fresh));
        expect([reader.epoch, reader.seq, reader.atMs]).toEqual([fresh.epoch, fresh.seq, fresh.atMs]);
      }
    }),
    { numRuns: 200 },
  );
});

describe('a reader', () => {
  const rows = new BoardRows();
  rows.takeAll([boardMiner(1), boardMiner(2)], NOW_MS);
  const filled = () => {
    const reader = new BoardReader();
    reader.apply(sent(boardSince(stateOf('e', rows))));
    return reader;
  };

  it('says what has changed and keeps its map', () => {
    const reader = filled();
    const { rows: map, seq } = reader;
    const later = new BoardRows();
    later.takeAll([boardMiner(1), boardMiner(2)], NOW_MS);
    later.takeAll([boardMiner(2, { tempC: 80 })], NOW_MS);
    expect(reader.apply(sent(boardSince(stateOf('e', later), seq)))).toEqual({
      ...{ kind: 'rows', changed: [2], removed: [1] },
    });
    expect([reader.rows, [...reader.rows.values()].map(({ tempC }) => tempC)]).toEqual([map, [80]]);
    const at = new Date(NOW_MS + 5_000).toISOString();
    expect(reader.apply({ seq: reader.seq, at })).toEqual({ kind: 'rows', changed: [], removed: [] });
    expect(reader.atMs).toBe(NOW_MS + 5_000);
  });

  it('does not take what does not fit it, and then has what it had', () => {
    const reader = filled();
    const before = [...reader.rows];
    const message = sent(boardSince(stateOf('e', rows), 0));
    if (!('columns' in message)) throw new Error('no changes');
    expect(() => reader.apply({ ...message, epoch: 'f' })).toThrow('not asked for');
    expect(() => reader.apply({ ...message, columns: { ...message.columns, power: [] } })).toThrow('different lengths');
    expect(reader.apply({ seq: reader.seq + 1, at: new Date(NOW_MS).toISOString() })).toEqual({
      kind: 'snapshot-needed',
    });
    expect([...reader.rows]).toEqual(before);
  });
});

it('makes one frame for all that have the same version, and a small one where nothing has changed', async () => {
  const rows = new BoardRows();
  rows.takeAll([boardMiner(1), boardMiner(2)], NOW_MS);
  rows.takeAll([boardMiner(1), boardMiner(2, { tempC: 70 })], NOW_MS);
  const state = stateOf('e', rows);
  const frameOf = createFrames();
  const [one, two] = [await frameOf(state, 'e', 1), await frameOf(state, 'e', 1)];
  expect(two).toBe(one);
  expect(await messageOf(one)).toMatchObject({ seq: 2, columns: { row: [2], temperature: [70] } });
  expect((await frameOf(state, 'e', 2)).data.length).toBeLessThan(60);
  expect(await messageOf(await frameOf(state, 'e', 3))).toEqual({ type: 'snapshot' });
  expect(await messageOf(await frameOf(state, undefined, 0))).toEqual({ type: 'snapshot' });
});

/** Streams of one farm on a real server; its clock runs faster, and can be moved. */
async function startStreams(rows: BoardRows) {
  let passedMs = 0;
  const clock = {
    ...systemClock,
    sleep: (delayMs: number, signal?: AbortSignal) => systemClock.sleep(delayMs / 50, signal),
    monotonicMs: () => systemClock.monotonicMs() + passedMs,
  };
  const released: string[] = [];
  let read = 0;
  const board = { state: async () => stateOf('e', rows, NOW_MS + read++) };
  const boards = { keep: (farmId: string) => ({ board, release: () => void released.push(farmId) }) };
  const streams = createBoardStreams({ boards, clock, log: silentLog });
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    const [, callerId = '', farmId = ''] = (request.url ?? '').split('/');
    sockets.handleUpgrade(request, socket, head, (opened) =>
      streams.open({
        ...{ socket: opened, farmId, workspaceId: 'w', callerId, epoch: 'e', since: 0 },
        recheck: async () => {},
      }),
    );
  });
  const host = loopback(30).ip(1);
  server.listen(0, host);
  await once(server, 'listening');
  streams.part.start();
  onTestFinished(async () => {
    await streams.part.stop();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const connect = async (path = 'key/farm') => {
    const socket = new WebSocket(`ws://${host}:${port}/${path}`, { perMessageDeflate: false });
    socket.binaryType = 'arraybuffer';
    const frames: (string | ArrayBuffer)[] = [];
    socket.on('message', (data, isBinary) => {
      // This client gives texts as bytes.
      frames.push(isBinary && data instanceof ArrayBuffer ? data : String(data));
    });
    await once(socket, 'open');
    return { socket, frames, closed: once(socket, 'close').then(([code]) => code) };
  };
  const pass = (ms: number) => {
    passedMs += ms;
  };
  return { streams, connect, pass, released, read: () => read };
}

const rowsOf = (count: number) => {
  const rows = new BoardRows();
  const change = (make: (n: number) => Partial<SelectableMiner>) =>
    rows.takeAll(
      Array.from({ length: count }, (_, n) => boardMiner(n, make(n))),
      NOW_MS,
    );
  change(() => ({}));
  return { rows, change };
};

it('skips a reader that does not read, and then sends it one catch-up', { timeout: 30_000 }, async () => {
  const { rows, change } = rowsOf(500);
  const begun = boardSince(stateOf('e', rows));
  const { connect } = await startStreams(rows);
  const [slow, fast] = [await connect('key/farm'), await connect('other/farm')];
  slow.socket.pause();
  // More than the buffers of both ends take.
  for (let n = 0; n < 40; n++) {
    change(() => ({ worker: randomBytes(600).toString('base64url') }));
    const had = fast.frames.length;
    await expect.poll(() => fast.frames.length, { timeout: 5_000, interval: 5 }).toBeGreaterThan(had);
  }
  slow.socket.resume();
  const seqs: number[] = [];
  const reader = new BoardReader();
  reader.apply(begun);
  await expect
    .poll(
      async () => {
        for (const frame of slow.frames.splice(0)) {
          const message: BoardStreamMessage = JSON.parse(await streamText(frame));
          if (!('seq' in message) || reader.apply(message).kind !== 'rows') throw new Error(JSON.stringify(message));
          if (message.seq !== seqs.at(-1)) seqs.push(message.seq);
        }
        return reader.seq;
      },
      { timeout: 10_000, interval: 20 },
    )
    .toBe(rows.seq);
  const steps = seqs.map((seq, i) => seq - (seqs[i - 1] ?? 0));
  // It was skipped once, for long.
  expect(steps.filter((width) => width > 2)).toHaveLength(1);
  const fresh = new BoardReader();
  fresh.apply(boardSince(stateOf('e', rows)));
  expect(JSON.stringify([...reader.rows])).toBe(JSON.stringify([...fresh.rows]));
});

it('cuts a reader that answers nothing for a minute, reads while there are readers, and not without', async () => {
  const { connect, pass, read, released } = await startStreams(rowsOf(2).rows);
  expect(read()).toBe(0);
  const [deaf, other] = [await connect(), await connect()];
  deaf.socket.pause();
  for (let n = 0; n < 3; n++) {
    const pinged = once(other.socket, 'ping');
    pass(21_000);
    await pinged;
    await systemClock.sleep(100);
  }
  deaf.socket.resume();
  expect(await deaf.closed).toBe(1006);
  expect([other.socket.readyState, released]).toEqual([WebSocket.OPEN, []]);
  other.socket.close();
  await other.closed;
  await expect.poll(() => released).toEqual(['farm']);
  const [before] = [read(), await systemClock.sleep(200)];
  expect([before > 3, read() - before]).toEqual([true, 0]);
});

it('bounds the streams of a workspace, whatever its keys', { timeout: 20_000 }, async () => {
  const { connect } = await startStreams(rowsOf(2).rows);
  for (let n = 0; n < MOST_VIEWERS.ofWorkspace; n++) await connect(`key${n % 5}/farm${n % 3}`);
  expect(await (await connect('key9/farm')).closed).toBe(4429);
});

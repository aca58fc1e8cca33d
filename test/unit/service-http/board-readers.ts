// Readers of a board's stream for tests: a bare socket, and one that keeps its rows as a page does.
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { boardAnswerSchema, boardStreamSchema } from '../../../src/wire/api/board/messages.ts';
import { BoardReader, streamText } from '../../../src/wire/api/board/reader.ts';
import type { Rig } from './rig.ts';

export const boardOf = (rig: Rig, below = '') =>
  `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/board${below}`;

type Options = { readonly query?: string; readonly headers?: Record<string, string>; readonly key?: string };

/** A socket that keeps what comes. */
export function openSocket(rig: Rig, { query = '', headers = {}, key = rig.key }: Options = {}) {
  const socket = new WebSocket(`${rig.url.replace('http', 'ws')}${boardOf(rig, '/stream')}${query}`, {
    headers: { 'x-api-key': key, ...headers },
  });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => {});
  const frames: Buffer[] = [];
  socket.on('message', (data) => frames.push(Buffer.isBuffer(data) ? data : Buffer.alloc(0)));
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  const refused = new Promise<number | undefined>((resolve) =>
    socket.once('unexpected-response', (outgoing, { statusCode }) => {
      outgoing.destroy();
      resolve(statusCode);
    }),
  );
  return { socket, frames, closed, refused };
}

export const snapshotOf = async (rig: Rig) => boardAnswerSchema.parse((await rig.get(boardOf(rig))).body).data;

/** A reader as a page has one. It connects with what it has. */
export async function read(rig: Rig, reader = new BoardReader(), key = rig.key) {
  if (reader.epoch === '') reader.apply(await snapshotOf(rig));
  const open = openSocket(rig, { query: `?epoch=${reader.epoch}&since=${reader.seq}`, key });
  const heard: string[] = [];
  let work = Promise.resolve();
  open.socket.binaryType = 'arraybuffer';
  open.socket.on('message', (data, isBinary) => {
    work = work.then(async () => {
      // This client gives texts as bytes.
      const text = await streamText(isBinary && data instanceof ArrayBuffer ? data : String(data));
      heard.push(reader.apply(boardStreamSchema.parse(JSON.parse(text))).kind);
    });
  });
  await once(open.socket, 'open');
  const rateOf = (ip: string) => [...reader.rows.values()].find((miner) => miner.ip === ip)?.hashrateHs;
  return { ...open, reader, heard, rateOf };
}

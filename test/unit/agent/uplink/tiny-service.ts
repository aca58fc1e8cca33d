// A service small enough to misbehave on command: stores slices by sequence number, acknowledges, sends what a test
// tells it to.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type AgentFrame, agentFrameSchema, decodeSlice, type SliceHeader } from '../../../../src/wire/frames.ts';
import { CHALLENGE_HEADER } from '../../../../src/wire/protocol.ts';
import { newIdentityKey } from '../../../support/identity-key.ts';
import { contents } from '../outbox/farm-records.ts';

export type TinyService = Awaited<ReturnType<typeof startService>>;

const { publicKey } = newIdentityKey();

export const welcomeFrame = () => ({
  ...{ type: 'welcome', protocol: 1, acked_seq: 0, at: new Date().toISOString(), takes: [] },
  ...{ task_key: publicKey, task_key_changes: [] },
});

export async function startService(options: { port?: number; refuse?: number } = {}) {
  const server: Server = createServer();
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const wss = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024, perMessageDeflate: false });
  /** epoch → sequence → samples; what was sent again is counted. */
  const stored = new Map<string, Map<number, number[]>>();
  const frames: AgentFrame[] = [];
  const headers: SliceHeader[] = [];
  const requests: IncomingMessage[] = [];
  const closes: { code: number; reason: string }[] = [];
  const behaviour = {
    refuse: options.refuse,
    /** undefined = as stored. */
    welcomeSeq: undefined as number | undefined,
    isSilent: false,
    /** It asks for no proof. */
    isStranger: false,
    mayAck: (_seq: number) => true,
    onSlice: (_socket: WebSocket, _seq: number) => {},
    /** The samples of a slice that is new. */
    onSamples: (_numbers: readonly number[]) => {},
    onWelcomed: (_socket: WebSocket) => {},
  };
  wss.on('headers', (headers) => {
    if (!behaviour.isStranger) headers.push(`${CHALLENGE_HEADER}: challenge`);
  });
  let duplicates = 0;
  let holes = 0;

  server.on('upgrade', (request, socket, head) => {
    requests.push(request);
    if (behaviour.refuse !== undefined) {
      socket.end(`HTTP/1.1 ${behaviour.refuse} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    wss.handleUpgrade(request, socket, head, (ws) => {
      let epoch = '';
      ws.on('error', () => {});
      ws.on('close', (code, reason) => closes.push({ code, reason: reason.toString() }));
      ws.on('message', (data, isBinary) => {
        if (!Buffer.isBuffer(data)) return;
        if (isBinary) {
          const slice = decodeSlice(data);
          if (slice === undefined) throw new Error('not a slice');
          const { header, compressedBody: body } = slice;
          headers.push(header);
          const known = stored.get(header.epoch) ?? new Map<number, number[]>();
          stored.set(header.epoch, known);
          if (known.has(header.seq)) duplicates++;
          else {
            if (header.seq !== known.size + 1) holes++;
            const { samples } = contents([{ body }]);
            known.set(header.seq, samples);
            behaviour.onSamples(samples);
          }
          behaviour.onSlice(ws, header.seq);
          if (behaviour.mayAck(header.seq))
            ws.send(JSON.stringify({ type: 'ack', epoch: header.epoch, seq: header.seq }));
          return;
        }
        const frame = agentFrameSchema.parse(JSON.parse(data.toString('utf8')));
        frames.push(frame);
        if (frame.type === 'epoch') {
          const has = stored.get(frame.epoch)?.size ?? 0;
          ws.send(JSON.stringify({ type: 'epoch', epoch: frame.epoch, acked_seq: has }));
        }
        if (frame.type !== 'hello') return;
        epoch = frame.epoch;
        if (behaviour.isSilent) return;
        const acked_seq = behaviour.welcomeSeq ?? stored.get(epoch)?.size ?? 0;
        ws.send(JSON.stringify({ ...welcomeFrame(), acked_seq }));
        behaviour.onWelcomed(ws);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    port,
    url: `http://127.0.0.1:${port}`,
    stored,
    frames,
    /** Of every slice that came, also of those that came again. */
    headers,
    requests,
    closes,
    behaviour,
    /** Every sample of every epoch, in order. */
    samples: () =>
      [...stored.values()].flatMap((slices) =>
        [...slices.keys()].sort((a, b) => a - b).flatMap((seq) => slices.get(seq) ?? []),
      ),
    duplicates: () => duplicates,
    holes: () => holes,
    connections: () => sockets.size,
    send(frame: unknown) {
      for (const ws of wss.clients)
        ws.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
    },
    /** Says goodbye to every connection. */
    close(code: number) {
      for (const ws of wss.clients) ws.close(code);
    },
    /** Cuts every connection without a goodbye. */
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    /** Stops reading: the peer sees an open connection on which nothing happens. */
    freeze() {
      for (const socket of sockets) socket.pause();
    },
    async stop() {
      for (const ws of wss.clients) ws.terminate();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

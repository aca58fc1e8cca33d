// A service that holds the key which the agent has pinned, and uses it as somebody would who should not: it signs what
// was never ordered, keeps what it sent, and sends it again. It stores every record that the agent reports.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  decodeSlice,
  type KeyChange,
  type Notice,
  readAgentFrame,
  type SignedNoticeFrame,
  type SignedTaskFrame,
  type TaskCommand,
} from '../../src/wire/frames.ts';
import { CHALLENGE_HEADER, PROTOCOL_VERSION } from '../../src/wire/protocol.ts';
import { type ReportRecord, sliceBodySchema } from '../../src/wire/records.ts';
import { newSigner, type Signer, signNotice, signTask } from '../unit/agent/uplink/signatures/signed.ts';

const unpack = promisify(zstdDecompress);

/** One connection of the agent, welcomed. */
export type Line = {
  readonly nonce: string;
  readonly at: string;
  /** Of the last task that the agent admitted, as it says. */
  readonly taskSeq: number;
  send(frame: unknown): void;
};

export async function startForgingService() {
  const agentId = randomUUID();
  const signer = newSigner();
  const records: ReportRecord[] = [];
  const lines: Line[] = [];
  const received: string[] = [];
  const noChanges: readonly KeyChange[] = [];
  const behaviour = { shows: signer.publicKey, changes: noChanges };
  const server = createServer((_, response) => {
    const answer = { agent_id: agentId, token: 'token', workspace_id: 'w', farm_id: randomUUID() };
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...answer, task_key: behaviour.shows }));
  });
  const sockets = new WebSocketServer({ server, maxPayload: 1024 * 1024, perMessageDeflate: false });
  sockets.on('headers', (headers) => headers.push(`${CHALLENGE_HEADER}: challenge`));
  let storing: Promise<void> = Promise.resolve();

  sockets.on('connection', (socket: WebSocket) => {
    let acked = 0;
    const send = (frame: unknown) => socket.send(JSON.stringify(frame));
    const store = async (data: Buffer) => {
      const slice = decodeSlice(data);
      if (slice === undefined) return;
      const body = await unpack(slice.compressedBody);
      records.push(...sliceBodySchema.parse(JSON.parse(body.toString('utf8'))).records);
      acked = slice.header.seq;
      send({ type: 'ack', epoch: slice.header.epoch, seq: acked });
    };
    socket.on('error', () => {});
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) {
        storing = storing.then(() => store(data));
        return;
      }
      const read = readAgentFrame(data.toString('utf8'));
      if (read.kind !== 'frame') return;
      if (read.frame.type === 'task-received') received.push(read.frame.task_id);
      if (read.frame.type !== 'hello') return;
      const at = new Date().toISOString();
      const { nonce, task_seq, next_seq } = read.frame;
      const { shows: task_key, changes } = behaviour;
      const known = { acked_seq: next_seq - 1, task_key, task_key_changes: [...changes] };
      send({ type: 'welcome', protocol: PROTOCOL_VERSION, at, ...known });
      lines.push({ nonce, at, taskSeq: task_seq, send });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    url: `http://127.0.0.1:${port}`,
    agentId,
    signer,
    records,
    /** Every connection there was, the newest last. */
    lines,
    /** Ids of orders that the agent confirmed. */
    received,
    behaviour,
    /** As the service would sign it for this line. */
    signFor(
      line: Pick<Line, 'nonce' | 'at'>,
      seq: number,
      task: TaskCommand,
      { by = signer, to = agentId }: { by?: Signer; to?: string } = {},
    ): SignedTaskFrame {
      return signTask({ agent_id: to, nonce: line.nonce, welcomed_at: line.at, seq, task }, by);
    },
    noticeFor(
      line: Pick<Line, 'nonce' | 'at'>,
      seq: number,
      notice: Notice,
      { by = signer, to = agentId }: { by?: Signer; to?: string } = {},
    ): SignedNoticeFrame {
      return signNotice({ agent_id: to, nonce: line.nonce, welcomed_at: line.at, seq, notice }, by);
    },
    async stop() {
      for (const client of sockets.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await storing;
    },
  };
}

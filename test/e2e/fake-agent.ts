// An agent without miners, for tests of the service: it keeps what a real one keeps over a lost connection (its outbox
// and its ledger of tasks), goes to whichever copy answers, takes only orders that a real one would take, and notes
// what it would have done to which miner.
import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { request } from 'undici';
import { WebSocket } from 'ws';
import { pinOf } from '../../src/agent/uplink/signatures/key-pin.ts';
import { createMessageGuard, messageGuardMigrations } from '../../src/agent/uplink/signatures/message-guard.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { openSqlite } from '../../src/base/storage/sqlite.ts';
import { encodeSlice, enrolAnswerSchema, serviceFrameSchema, type TaskCommand } from '../../src/wire/frames.ts';
import { CHALLENGE_HEADER, ENROL_PATH, PROTOCOL_VERSION, UPLINK_PATH } from '../../src/wire/protocol.ts';
import type { ReportRecord, TaskRecord } from '../../src/wire/records.ts';
import { newIdentityKey } from '../support/identity-key.ts';

export type FakeAgent = {
  readonly agentId: string;
  /** The key of the miner of every task that was executed, by the id of the task. */
  readonly executed: ReadonlyMap<string, string>;
  /** Tasks that came once more after they were in the ledger. */
  redelivered(): number;
  /** Times that orders were refused, or the key of the service. */
  refused(): number;
  /** Records that the service has not confirmed. */
  waiting(): number;
  /** Of its last slice. */
  seq(): number;
  readonly epoch: string;
  report(records: readonly ReportRecord[]): void;
  stop(): void;
};

const RECONNECT_MS = 50;
/** How long a reboot takes, and how many it does at once. */
const REBOOT_MS = 120;
const AT_ONCE = 4;

/**
 * `urlOf` says where to go for each attempt. One that does not believe the welcome sends again whatever it has no
 * acknowledgement for, also what the service says it has.
 */
export async function startFakeAgent(
  code: string,
  urlOf: (attempt: number) => string,
  believesWelcome: (attempt: number) => boolean = () => true,
): Promise<FakeAgent> {
  const key = newIdentityKey();
  const identity = { code, name: 'fake', version: '1.0.0', protocol: PROTOCOL_VERSION, identity_key: key.publicKey };
  const body = JSON.stringify(identity);
  const headers = { 'content-type': 'application/json' };
  const answer = await request(urlOf(0) + ENROL_PATH, { method: 'POST', headers, body });
  const { agent_id: agentId, token, task_key: taskKey } = enrolAnswerSchema.parse(await answer.body.json());
  let refused = 0;
  const orders = createMessageGuard(openSqlite(':memory:', [messageGuardMigrations]), {
    uplink: 'fake',
    agentId,
    pin: pinOf(taskKey),
    clock: systemClock,
    log: silentLog,
    audit: () => refused++,
  });
  const epoch = randomUUID();
  const outbox = new Map<number, Buffer>();
  const executed = new Map<string, string>();
  const queue: TaskCommand[] = [];
  let [seq, busy, redelivered, attempt, isStopped] = [0, 0, 0, 0, false];
  let socket: WebSocket | undefined;
  let isWelcome = false;

  const report = (records: readonly ReportRecord[]) => {
    const packed = zstdCompressSync(Buffer.from(JSON.stringify({ v: 1, records })));
    const slice = encodeSlice({ epoch, seq: ++seq, produced_at: new Date().toISOString() }, packed);
    outbox.set(seq, slice);
    if (isWelcome) socket?.send(slice);
  };
  const say = (task_id: string, status: TaskRecord['status']) =>
    report([{ kind: 'task', task_id, status, at: new Date().toISOString(), message: null, evidence: {} }]);
  const work = () => {
    while (busy < AT_ONCE && !isStopped) {
      const task = queue.shift();
      if (task === undefined) return;
      busy++;
      executed.set(task.task_id, task.miner_key);
      say(task.task_id, 'running');
      setTimeout(() => {
        busy--;
        say(task.task_id, 'succeeded');
        work();
      }, REBOOT_MS);
    }
  };
  const ledger = new Set<string>();
  const take = (task: TaskCommand, to: WebSocket) => {
    if (ledger.has(task.task_id)) redelivered++;
    else queue.push(task);
    ledger.add(task.task_id);
    to.send(JSON.stringify({ type: 'task-received', task_id: task.task_id }));
    work();
  };
  const confirm = (upTo: number) => {
    for (const number of outbox.keys()) if (number <= upTo) outbox.delete(number);
  };

  const connect = () => {
    if (isStopped) return;
    const current = new WebSocket(urlOf(attempt++).replace('http', 'ws') + UPLINK_PATH, {
      headers: { authorization: `Bearer ${agentId}.${token}` },
      perMessageDeflate: false,
    });
    socket = current;
    const at = new Date().toISOString();
    const session = orders.begin();
    const { nonce, taskSeq: task_seq } = session;
    let challenge = '';
    current.on('upgrade', ({ headers }) => {
      challenge = String(headers[CHALLENGE_HEADER]);
    });
    current.on('open', () => {
      const proof = key.prove(agentId, challenge);
      const position = { epoch, instance_id: epoch, next_seq: seq + 1, at };
      const hello = {
        type: 'hello',
        protocol: PROTOCOL_VERSION,
        version: '1.0.0',
        ...position,
        nonce,
        task_seq,
        proof,
      };
      current.send(JSON.stringify(hello));
    });
    current.on('error', () => {});
    current.on('close', () => {
      isWelcome = false;
      setTimeout(connect, RECONNECT_MS);
    });
    current.on('message', (data) => {
      const frame = serviceFrameSchema.parse(JSON.parse(String(data)));
      if (frame.type === 'welcome') {
        session.onWelcome(frame);
        if (believesWelcome(attempt)) confirm(frame.acked_seq);
        isWelcome = true;
        for (const slice of outbox.values()) current.send(slice);
      } else if (frame.type === 'ack') confirm(frame.seq);
      else if (frame.type === 'signed-task') for (const task of session.admit([frame])) take(task, current);
    });
  };
  connect();
  return {
    agentId,
    epoch,
    executed,
    redelivered: () => redelivered,
    refused: () => refused,
    waiting: () => outbox.size,
    seq: () => seq,
    report,
    stop() {
      isStopped = true;
      socket?.terminate();
    },
  };
}

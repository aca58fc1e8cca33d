// A service that sends frames of every wrong kind, or hangs up before a word is said: the agent does nothing that it was not asked to in order, says why it
// leaves, waits, and comes back.
import { createServer as createTcpServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createUplink } from '../../src/agent/uplink/uplink.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import { seeded } from '../contract/mutate.ts';
import { until } from '../e2e/until.ts';
import { startService } from '../unit/agent/uplink/tiny-service.ts';
import { isFull, report } from './table.ts';

const AGENT = '0198a7a2-0000-7000-8000-00000000000a';
const EPOCH = '0198a7a2-0000-7000-8000-00000000000b';
const FRAMES = isFull ? 10_000 : 400;

function linkTo(url: string, onTask: () => void) {
  const reasons: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (fields) => void reasons.push(String(fields.reason ?? '')),
    error: (_, message) => void reasons.push(message),
  };
  const position = { epoch: EPOCH, firstSeq: 1, ackedSeq: 0, nextSeq: 1 };
  const uplink = createUplink({
    name: 'x',
    url,
    allowPlain: true,
    credentials: { agentId: AGENT, token: new Secret('t') },
    version: '1',
    source: {
      position: () => position,
      lanes: () => [position],
      split() {},
      read: () => [],
      acknowledge() {},
      renewEpoch() {},
      onMore: () => () => {},
    },
    tasks: { onTasks: onTask, onCancel: onTask },
    clock: systemClock,
    random: () => 1,
    log,
    timing: { backoff: { baseMs: 2, capMs: 10 }, refusedMs: 50 },
  });
  onTestFinished(() => uplink.stop());
  return { uplink, reasons };
}

const task = {
  type: 'task',
  task_id: AGENT,
  batch_id: AGENT,
  name: 'miner.system.reboot',
  miner_key: AGENT,
  params: {},
};

test('frames of every wrong kind have no effect, and the connection ends with a reason or goes on', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  let [effects, crashes] = [0, 0];
  const onCrash = () => crashes++;
  process.on('uncaughtExceptionMonitor', onCrash);
  onTestFinished(() => void process.off('uncaughtExceptionMonitor', onCrash));
  const { uplink, reasons } = linkTo(service.url, () => effects++);
  const random = seeded(2);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)];
  const frame = (): string | Buffer => {
    const text = JSON.stringify(
      pick([
        { ...task, created_at: 'yesterday', expires_at: 'never' },
        { ...task, miner_key: '../x', created_at: 0, expires_at: 1e99 },
        { type: 'cancel', task_id: 7 },
        { type: 'welcome', protocol: 1, acked_seq: 0, at: new Date().toISOString() },
        { type: 'ack', epoch: EPOCH, seq: 1 },
        { type: 'ack', epoch: AGENT, seq: 2 ** 53 },
        { type: 'lane', epoch: EPOCH, acked_seq: -1 },
        { type: 'ops-status', is_first: 'yes', miners: Array(50).fill({}) },
        { type: ['task'] },
        { __proto__: null, type: '__proto__' },
        [task],
        null,
      ]),
    );
    const kind = random();
    if (kind < 0.1) return Buffer.from(text);
    if (kind < 0.2) return text.slice(0, Math.floor(random() * text.length));
    if (kind < 0.25) return `${'['.repeat(50_000)}`;
    if (kind < 0.26) return `{"type":"task","name":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    if (kind < 0.3) return Buffer.alloc(1_000, 0xff);
    return text;
  };
  uplink.start();
  let sent = 0;
  service.behaviour.onWelcomed = (socket) => {
    for (let i = 0; i < 3; i++) {
      socket.send(frame());
      sent++;
    }
  };
  await until(
    async () => sent,
    (count) => count >= FRAMES,
    200_000,
  );
  service.behaviour.onWelcomed = () => {};
  await until(
    async () => uplink.state().phase,
    (phase) => phase === 'online',
    20_000,
  );
  const unnamed = reasons.filter((reason) => reason === '').length;
  expect(new Set(reasons).size).toBeGreaterThan(4);
  report({
    id: 'S2',
    value: `${sent} frames over ${reasons.length} connections: ${crashes} crashes, ${effects} effects, ${unnamed} ends without a reason, back online`,
    bar: '0 crashes, 0 effects, closed with reason, backoff',
    isMet: crashes + effects + unnamed === 0,
  });
});

test('a service that resets each connection before it is open costs a pause, not the agent', async () => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.resetAndDestroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { uplink, reasons } = linkTo(`http://127.0.0.1:${port}`, () => {});
  uplink.start();
  await until(
    async () => connections,
    (count) => count >= 5,
    10_000,
  );
  expect(reasons.length).toBeGreaterThanOrEqual(4);
});

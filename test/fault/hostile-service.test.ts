// A service that sends frames of every wrong kind, or hangs up before a word is said: the agent does nothing that it
// was not asked to in order, says why it leaves, waits longer each time, and comes back.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import { seeded } from '../../src/driver/check/answers/mutate.ts';
import { agentFrameSchema } from '../../src/wire/frames.ts';
import type { OutlookQuestion } from '../../src/wire/outlook.ts';
import { CHALLENGE_HEADER } from '../../src/wire/protocol.ts';
import { until } from '../e2e/until.ts';
import { emptyOutlook } from '../support/empty-outlook.ts';
import { loopback } from '../support/loopback.ts';
import { idleSource, uplinkTo } from '../unit/agent/uplink/uplink-to.ts';
import { SCRIPTS, welcome, wholeTask } from './hostile-frames.ts';
import { isFull, report } from './table.ts';

const kinds = Object.keys(SCRIPTS);
const ROUNDS = Math.ceil((isFull ? 10_000 : 400) / kinds.length);
/** Agents side by side, each with a service of its own. */
const AT_ONCE = 8;
const SEED = 20_261_121;
/** Of the agent's own and of the WebSocket protocol's. */
const CLOSE_CODES = [1000, 1002, 1007, 1009, 4400];

/** Pauses between tries are as long as they are on a farm, and take no time. */
function createHastyClock() {
  const pauses: number[] = [];
  const clock: Clock = {
    ...systemClock,
    sleep(ms, signal) {
      pauses.push(ms);
      return systemClock.sleep(0, signal);
    },
  };
  return { clock, pauses };
}

function linkTo(url: string, onEffect: (what: string) => void) {
  const reasons: string[] = [];
  const note = (fields: object, message: string) =>
    void reasons.push('reason' in fields ? String(fields.reason) : `${message} ${JSON.stringify(fields)}`);
  const log: Log = {
    ...silentLog,
    warn: (fields, text) => ('theirs' in fields ? undefined : note(fields, text)),
    error: note,
  };
  const { clock, pauses } = createHastyClock();
  const onQuestion = async (question: OutlookQuestion) => {
    onEffect('outlook');
    return emptyOutlook(question);
  };
  const uplink = uplinkTo(url, {
    source: { ...idleSource(randomUUID()), acknowledge: async () => onEffect('acknowledge') },
    tasks: { onTasks: () => onEffect('tasks'), onCancel: () => onEffect('cancel'), outlook: onQuestion },
    onOpsStatus: () => onEffect('ops-status'),
    clock,
    random: () => 1,
    log,
  });
  onTestFinished(() => uplink.stop());
  return { uplink, reasons, pauses };
}

type Scene = { readonly kind: string; readonly isBurst: boolean };

/**
 * A service that plays these scenes, one for each connection, then behaves. `story` = what became of each connection.
 */
async function startHostileService(host: string, scenes: readonly Scene[], random: () => number) {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('headers', (headers) => headers.push(`${CHALLENGE_HEADER}: challenge`));
  const story: { readonly kind: string; readonly code: number }[] = [];
  let turn = 0;
  sockets.on('connection', (ws, { socket: raw }) => {
    ws.on('error', () => {});
    raw.on('error', () => {});
    ws.once('message', (data) => {
      const hello = agentFrameSchema.parse(JSON.parse(String(data)));
      if (hello.type !== 'hello') throw new Error('no hello');
      const scene = scenes[turn++];
      if (scene === undefined) {
        ws.send(JSON.stringify(welcome()));
        return;
      }
      const { kind, isBurst } = scene;
      ws.once('close', (code) => story.push({ kind, code }));
      // Whoever is still there is sent this, and behind it something that must not be taken any more.
      const finish = () => {
        ws.send('"the end"');
        ws.send(JSON.stringify(wholeTask()));
      };
      SCRIPTS[kind]?.({ ws, raw, epoch: hello.epoch, random });
      if (ws.readyState !== ws.OPEN || raw.destroyed) return;
      if (isBurst) finish();
      else {
        // An agent that answers has dealt with what came before.
        ws.once('pong', finish);
        ws.ping();
      }
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate();
    server.close();
  });
  const address = server.address();
  return { url: `http://${host}:${typeof address === 'object' ? address?.port : ''}`, story };
}

test('frames of every wrong kind have no effect, and each connection ends with a reason and a pause', async () => {
  let crashes = 0;
  const onCrash = () => crashes++;
  process.on('uncaughtExceptionMonitor', onCrash);
  onTestFinished(() => void process.off('uncaughtExceptionMonitor', onCrash));
  const effects: string[] = [];
  const all = Array.from({ length: ROUNDS }, (_, round) =>
    kinds.map((kind) => ({ kind, isBurst: round % 2 === 0 })),
  ).flat();
  const hosts = loopback();
  const agents = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, i) => {
      const share = all.filter((__, at) => at % AT_ONCE === i);
      const service = await startHostileService(hosts.ip(i + 1), share, seeded(SEED + i));
      const link = linkTo(service.url, (what) => effects.push(what));
      link.uplink.start();
      return { ...service, ...link, share };
    }),
  );
  for (const { uplink, story, share } of agents)
    await until(
      () => [uplink.state().phase, story.length, story.at(-1)?.kind] as const,
      ([phase, count]) => phase === 'online' && count === share.length,
      240_000,
    );
  const reasons = agents.flatMap((agent) => agent.reasons);
  const story = agents.flatMap((agent) => agent.story);
  expect(effects).toEqual([]);
  // Every connection is played once and ends once, for a reason that has words and no control characters.
  expect(story.length).toBe(all.length);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const unnamed = reasons.filter((reason) => reason === '' || /[\u0000-\u001f]/.test(reason)).length;
  expect(reasons.length).toBe(all.length);
  // A line that is cut has no code; everybody else hears why.
  const unsaid = story.filter(({ kind, code }) => !/line|goodbye|half/.test(kind) && !CLOSE_CODES.includes(code));
  expect(unsaid).toEqual([]);
  const expected = (i: number) => Math.min(60_000, 1_000 * 2 ** i);
  const isPatient = agents.every(({ pauses }) => pauses.every((ms, i) => ms === expected(i)));
  report({
    id: 'S2',
    value: `${story.length} frames of ${kinds.length} kinds, each on a connection of its own: ${crashes} crashes, ${effects.length} effects, ${unnamed + unsaid.length} ends without a reason, pauses 1 s to 60 s${isPatient ? '' : ' not kept'}, back online`,
    bar: '10,000: 0 crashes, 0 effects, closed with reason, backoff',
    isMet: crashes + effects.length + unnamed + unsaid.length === 0 && isPatient,
  });
}, 300_000);

test('a service that resets each connection before it is open costs a pause, not the agent', async () => {
  let connections = 0;
  const server = createTcpServer((socket: Socket) => {
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
    60_000,
  );
  expect(reasons.length).toBeGreaterThanOrEqual(4);
});

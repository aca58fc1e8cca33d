// Events as a stream over real sockets: as they happen, from where a reader stopped, from the other copy too; closed
// when the key is revoked, when the reader takes nothing, and when the service stops.
import { request } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ReportRecord } from '../../../src/wire/records.ts';
import { minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

const LONG = { timeout: 10_000, interval: 20 };

type Message = { id: string | undefined; event: string | undefined; data: { type: string; detail: { n?: number } } };

/** Reads as an EventSource does. */
async function open(rig: Rig, parameters = '', headers: Record<string, string> = {}) {
  const path = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/events/stream${parameters}`;
  const outgoing = request(rig.url + path, { headers: { 'x-api-key': rig.key, ...headers } }).end();
  onTestFinished(() => void outgoing.destroy());
  outgoing.on('error', () => {});
  const response = await new Promise<import('node:http').IncomingMessage>((resolve) =>
    outgoing.on('response', resolve),
  );
  let text = '';
  const state = { isOver: false };
  const read = () =>
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  response.on('close', () => {
    state.isOver = true;
  });
  const messages = (): Message[] =>
    text.split('\n\n').flatMap((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const data = field('data');
      return data === undefined ? [] : [{ id: field('id'), event: field('event'), data: JSON.parse(data) }];
    });
  const numbers = () => messages().map(({ data }) => data.detail?.n);
  return { response, read, messages, numbers, state, text: () => text, outgoing };
}

const events = (rig: Rig, agent: WireAgent, ...ns: number[]) =>
  agent.report(
    ns.map((n): ReportRecord => {
      const at = new Date(rig.clock.nowMs()).toISOString();
      return { kind: 'event', type: n % 2 ? 'odd' : 'even', key: agent.identity.agentId, at, detail: { n } };
    }),
  );

test('a reader gets what happens from now on, and goes on where it stopped', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  await events(rig, agent, 1);
  const first = await open(rig);
  first.read();
  expect(first.response.headers['content-type']).toMatch(/^text\/event-stream/);
  await events(rig, agent, 2, 3);
  await vi.waitFor(() => expect(first.numbers()).toEqual([2, 3]), LONG);
  await vi.waitFor(() => expect(first.text()).toContain('\n: still here\n'), LONG);
  const id = first.messages()[0]?.id ?? '';
  first.outgoing.destroy();
  await events(rig, agent, ...Array.from({ length: 120 }, (_, n) => n + 4));
  const again = await open(rig, '', { 'last-event-id': id });
  again.read();
  const rest = Array.from({ length: 121 }, (_, n) => n + 3);
  await vi.waitFor(() => expect(again.numbers()).toEqual(rest), LONG);
  const odd = await open(rig, `?type=odd&after=${id}`);
  odd.read();
  await vi.waitFor(() => expect(odd.numbers()).toEqual(rest.filter((n) => n % 2 === 1)), LONG);
  const refused = await open(rig, '', { 'last-event-id': 'of-another-service' });
  expect(refused.response.statusCode).toBe(400);
});

test('what one copy stores the other one streams', async () => {
  const rig = await startRig();
  const other = await startRig({ databasePath: rig.databasePath });
  const stream = await open(other);
  stream.read();
  const agent = await connect(rig);
  await events(rig, agent, 7);
  await vi.waitFor(() => expect(stream.numbers()).toEqual([7]), LONG);
});

test('a key that is revoked ends its streams, and those of other keys go on', async () => {
  const rig = await startRig();
  const { workspaceId } = rig;
  const other = await rig.service.admin.createKey({ workspaceId, name: 'other', role: 'viewer' });
  const [revoked, kept] = [await open(rig, '', { 'x-api-key': other.key }), await open(rig)];
  revoked.read();
  kept.read();
  const id = (await rig.service.admin.listKeys()).find(({ name }) => name === 'other')?.id;
  await rig.service.admin.revokeKey(id ?? '');
  await vi.waitFor(() => expect(revoked.state.isOver).toBe(true), LONG);
  expect(revoked.messages()).toMatchObject([{ event: 'closed', data: { reason: 'revoked' } }]);
  expect(kept.state.isOver).toBe(false);
});

test('a reader that takes nothing is closed with the reason, and misses nothing when it comes back', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  // An agent with so many miners may report as many large events.
  for (let part = 0; part < 2; part++)
    await agent.report(Array.from({ length: 400 }, (_, n) => minerRecord(400 * part + n, rig.clock.nowMs())));
  const slow = await open(rig);
  slow.response.pause();
  const filler = 'x'.repeat(15_000);
  const at = new Date(rig.clock.nowMs()).toISOString();
  const large = (n: number): ReportRecord => ({
    ...{ kind: 'event', type: 'large', key: agent.identity.agentId, at, detail: { n, filler } },
  });
  // More than the sockets of both sides take.
  const COUNT = 900;
  for (let n = 0; n < COUNT; n += 100) await agent.report(Array.from({ length: 100 }, (_, k) => large(n + k)));
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  slow.read();
  slow.response.resume();
  await vi.waitFor(() => expect(slow.messages().at(-1)?.event).toBe('closed'), LONG);
  const got = slow.messages().filter(({ event }) => event === undefined);
  expect(got.length).toBeLessThan(COUNT);
  expect(slow.messages().at(-1)?.data).toEqual({ reason: 'slow' });
  const back = await open(rig, `?after=${got.at(-1)?.id}`);
  back.read();
  await vi.waitFor(() => expect(got.length + back.numbers().length).toBe(COUNT), LONG);
  expect([...got.map(({ data }) => data.detail.n), ...back.numbers()]).toEqual(
    Array.from({ length: COUNT }, (_, n) => n),
  );
}, 40_000);

test('there are so many streams of a workspace and no more, until one is closed', async () => {
  const rig = await startRig();
  const streams = await Promise.all(Array.from({ length: 21 }, () => open(rig)));
  for (const { read } of streams) read();
  const statuses = streams.map(({ response }) => response.statusCode).toSorted();
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  streams.find(({ response }) => response.statusCode === 200)?.outgoing.destroy();
  await vi.waitFor(async () => expect((await open(rig)).response.statusCode).toBe(200), LONG);
});

test('a service that stops says so, and waits for no reader', async () => {
  const rig = await startRig();
  const stream = await open(rig);
  stream.read();
  const startMs = performance.now();
  await rig.service.stop();
  await vi.waitFor(() => expect(stream.state.isOver).toBe(true), LONG);
  expect(stream.messages()).toMatchObject([{ event: 'closed', data: { reason: 'restart' } }]);
  expect(performance.now() - startMs).toBeLessThan(4_000);
});

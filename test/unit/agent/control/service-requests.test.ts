// Requests that the control socket passes on to the service of the same process, over a real socket: as whom, what
// comes back, what is bounded, and what stands in the audit trail.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { findRunningAgent } from '../../../../src/agent/control/control-client.ts';
import { createControlSocket } from '../../../../src/agent/control/control-socket.ts';
import {
  type AskService,
  auditedRoute,
  createServiceRequests,
} from '../../../../src/agent/control/handlers/service-requests.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { userName } from '../../../../src/base/platform/user-name.ts';
import { createTestHandlers } from './handlers.ts';

const MIB = 1024 * 1024;

async function runningWith(askService: AskService | undefined) {
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-control-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const calls: string[] = [];
  const handlers = { ...createTestHandlers().handlers, ...createServiceRequests(askService) };
  const socket = createControlSocket({
    ...{ stateDir, clock: systemClock, log: silentLog, newId: () => 'id', handlers },
    onCall: ({ route, user }) => calls.push(`${user} ${route}`),
  });
  await socket.start();
  onTestFinished(() => socket.close());
  const found = await findRunningAgent(stateDir);
  if (found.kind !== 'running') throw new Error(`the agent is ${found.kind}`);
  const { agent } = found;
  onTestFinished(() => agent.close());
  return { agent, calls };
}

const json = (status: number, ...texts: readonly string[]) => ({
  ...{ status, contentType: 'application/json; charset=utf-8' },
  body: Readable.from(
    texts.map((text) => Buffer.from(text)),
    { objectMode: false },
  ),
});

test('the service is asked in the name of the system user, and its refusals are answers', async () => {
  const asked: Parameters<AskService>[0][] = [];
  const { agent } = await runningWith(async (request) => {
    asked.push(request);
    return request.method === 'GET' ? json(200, '{"data":', '[1]}') : json(409, '{"statusCode":409}');
  });
  const read = await agent.service({ method: 'GET', path: '/public-api/v2/workspaces?page=1' });
  expect(read).toEqual({ status: 200, body: { data: [1] } });
  const path = '/public-api/v2/workspaces/w/farms/f/miners/m';
  expect(await agent.service({ method: 'PATCH', path, body: { rack: 'C03' }, idempotencyKey: 'k' })).toEqual({
    ...{ status: 409, body: { statusCode: 409 } },
  });
  expect(asked).toMatchObject([
    { url: '/public-api/v2/workspaces?page=1', body: undefined, user: userName() },
    { method: 'PATCH', url: path, body: '{"rack":"C03"}', contentType: undefined, idempotencyKey: 'k' },
  ]);
});

test('CSV goes both ways as it is', async () => {
  const { agent } = await runningWith(async ({ body = '', contentType = '' }) => ({
    ...{ status: 200, contentType: 'text/csv' },
    body: Readable.from([Buffer.from(`${contentType}: ${body}`)], { objectMode: false }),
  }));
  const answer = await agent.service({ method: 'POST', path: '/public-api/v2/x', body: 'id,rack\n' });
  expect(answer).toEqual({ status: 200, body: 'text/csv: id,rack\n' });
});

test('an agent whose service runs elsewhere says so, and how to reach that', async () => {
  const { agent } = await runningWith(undefined);
  await expect(agent.service({ method: 'GET', path: '/public-api/v2/workspaces' })).rejects.toMatchObject({
    ...{ code: 'service.elsewhere', message: expect.stringContaining('--server') },
  });
});

test('an answer as large as a list of 10,000 miners comes through; one without an end is cut off', async () => {
  let made = 0;
  let isClosed = false;
  const { agent } = await runningWith(async ({ url }) => {
    const most = url.endsWith('endless') ? Number.POSITIVE_INFINITY : 20;
    const parts = function* () {
      yield Buffer.from('"');
      for (made = 0; made < most; made++) yield Buffer.alloc(MIB, 'x');
      yield Buffer.from('"');
    };
    const body = Readable.from(parts(), { objectMode: false });
    body.once('close', () => {
      isClosed = true;
    });
    return { status: 200, contentType: 'application/json', body };
  });
  const { body } = await agent.service({ method: 'GET', path: '/public-api/v2/list' });
  expect(String(body)).toHaveLength(20 * MIB);
  const endless = agent.service({ method: 'GET', path: '/public-api/v2/endless' });
  await expect(endless).rejects.toMatchObject({ family: 'peer' });
  await expect.poll(() => isClosed).toBe(true);
  expect(made).toBeLessThan(80);
});

test('a caller that goes is not answered any more', async () => {
  const gone = Promise.withResolvers<void>();
  const { agent } = await runningWith(({ signal }) => {
    signal.addEventListener('abort', () => gone.resolve(), { once: true });
    return new Promise(() => {});
  });
  const abort = new AbortController();
  const asked = agent.service({ method: 'GET', path: '/public-api/v2/workspaces' }, abort.signal);
  setTimeout(() => abort.abort(), 50);
  await expect(asked).rejects.toMatchObject({ family: 'peer' });
  await gone.promise;
});

test('only writes stand in the audit trail, without what people search', async () => {
  const { agent, calls } = await runningWith(async () => json(200, '{}'));
  await agent.service({ method: 'GET', path: '/public-api/v2/a' });
  await agent.service({ method: 'POST', path: '/public-api/v2/miners/search', body: {} });
  await agent.service({ method: 'POST', path: '/public-api/v2/b?x=1', body: {} });
  expect(calls).toEqual([`${userName()} /service POST /public-api/v2/b`]);
  expect(auditedRoute({ method: 'DELETE', path: '/public-api/v2/metrics/query' })).toBeDefined();
});

test.each(['/metrics', '/private-api/v1/x', 'http://example.com/public-api/', '/public-api/v2/a b'])(
  'the path %s is refused here',
  async (path) => {
    const { agent } = await runningWith(async () => json(200, '{}'));
    await expect(agent.service({ method: 'GET', path })).rejects.toMatchObject({ code: 'wrong-request' });
  },
);

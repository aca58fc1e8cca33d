// One connection to an agent's control socket, driven directly against a server that answers well, badly and not at
// all: each failure is an error of its own, and nothing is read without bound.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ControlConnection } from '../../../../src/agent/control/control-connection.ts';
import type { Line } from '../../../../src/agent/control/messages.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { ConfigError, PeerError, RefusedError } from '../../../../src/base/errors.ts';

const schema = z.object({ count: z.int() });
const never = new AbortController().signal;

async function agentThat(answer: (request: IncomingMessage, reply: ServerResponse, body: string) => unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-connection-'));
  const address = join(folder, 'agent.sock');
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += String(part);
    await answer(request, reply, body);
  }).listen(address);
  await once(server, 'listening');
  const connection = new ControlConnection('/var/lib/pithead', address);
  onTestFinished(async () => {
    await connection.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return connection;
}
const agentOf = (text: string, status = 200) => agentThat((_, reply) => reply.writeHead(status).end(text));
const line = (each: object) => `${JSON.stringify(each)}\n`;
const END = { type: 'end', total: 2, succeeded: 1 };
const totalOf = (each: Line) => (each.type === 'end' ? each.total : undefined);

test('an answer is what its schema takes; the request goes out as JSON', async () => {
  const asked: unknown[] = [];
  const connection = await agentThat(({ method, url, headers }, reply, body) => {
    asked.push([method, url, headers['content-type'], body]);
    reply.end('{"count":3,"of a newer agent":true}');
  });
  expect(await connection.ask(schema, 'POST', '/x', { a: 1 })).toEqual({ count: 3 });
  expect(await connection.ask(schema, 'GET', '/y')).toEqual({ count: 3 });
  expect(asked).toEqual([
    ['POST', '/x', 'application/json', '{"a":1}'],
    ['GET', '/y', undefined, ''],
  ]);
});

test('an answer that is none is the fault of the agent that runs there', async () => {
  for (const text of ['{"count":"3"}', 'no JSON', '']) {
    const failed = (await agentOf(text)).ask(schema, 'GET', '/x');
    await expect(failed).rejects.toMatchObject({ code: 'peer.unparsable', retry: 'never' });
    await expect(failed).rejects.toThrow('/var/lib/pithead');
  }
});

test('a refusal has the code and the text of the agent, and its problems where it names some', async () => {
  const refused = async (said: object) => (await agentOf(JSON.stringify(said), 409)).ask(schema, 'GET', '/x');
  await expect(refused({ code: 'scan.outside', error: 'scan 10.0.0.0/8' })).rejects.toMatchObject({
    ...{ family: 'refused', code: 'scan.outside', message: expect.stringContaining('scan 10.0.0.0/8') },
  });
  await expect(refused({ code: 'peer.timeout', error: 'ask 10.0.0.1' })).rejects.toMatchObject({
    ...{ family: 'refused', code: 'control.unclear', message: expect.stringContaining('ask 10.0.0.1') },
  });
  await expect(refused({})).rejects.toBeInstanceOf(RefusedError);
  const problems = [{ path: 'networks[0]', message: 'is wrong' }];
  const config = refused({ code: 'config', error: 'check pithead.yaml', problems });
  await expect(config).rejects.toBeInstanceOf(ConfigError);
  await expect(config).rejects.toMatchObject({ problems });
});

test('no agent, one that goes away, and one that goes away in mid-answer are PeerErrors', async () => {
  const nowhere = new ControlConnection('/var/lib/pithead', join(tmpdir(), 'pithead-no-such.sock'));
  onTestFinished(() => nowhere.close());
  await expect(nowhere.ask(schema, 'GET', '/x')).rejects.toMatchObject({ code: 'peer.unreachable' });
  const gone = await agentThat(({ socket }) => socket.destroy());
  await expect(gone.ask(schema, 'GET', '/x')).rejects.toMatchObject({ code: 'peer.unreachable' });
  const half = await agentThat(({ socket }, reply) => {
    reply.writeHead(200, { 'content-length': 100 }).write('{"count":');
    setTimeout(() => socket.destroy(), 20);
  });
  await expect(half.ask(schema, 'GET', '/x')).rejects.toMatchObject({ code: 'peer.reset', retry: 'later' });
  await expect(half.ask(schema, 'GET', '/x')).rejects.toBeInstanceOf(PeerError);
});

test('an answer that is not over within its time is a PeerError', async () => {
  const silent = await agentThat(() => {});
  const asked = silent.ask(schema, 'GET', '/x', undefined, { headersTimeout: 50 });
  await expect(asked).rejects.toMatchObject({ code: 'peer.unreachable' });
});

test('more than 64 MiB of an answer, or 8 MiB of a line, are not read', async () => {
  const part = 'x'.repeat(1024 * 1024);
  let parts = 0;
  const endless = await agentThat((_, reply) => {
    const more = () => {
      while (!reply.destroyed && reply.write(part)) parts++;
      parts++;
    };
    reply.on('drain', more);
    more();
  });
  await expect(endless.ask(schema, 'GET', '/x')).rejects.toMatchObject({ code: 'peer.too-large' });
  expect(parts).toBeLessThan(100);
  parts = 0;
  await expect(endless.listen('/x', {}, totalOf, never)).rejects.toMatchObject({ code: 'peer.too-large' });
  expect(parts).toBeLessThan(30);
});

test('lines arrive one by one, whatever the parts they come in; those of a newer agent are left out', async () => {
  const heard: string[] = [];
  const text = line({ type: 'begin', id: 'r1' }) + line({ type: 'of a newer agent' }) + line({ type: 'beat' });
  const connection = await agentThat(async (_, reply) => {
    const all = text + line({ type: 'understood', text: 'Zürich' }) + line(END);
    for (let i = 0; i < all.length; i += 31) {
      reply.write(all.slice(i, i + 31));
      await systemClock.sleep(2);
    }
    reply.end();
  });
  const onLine = (each: Line) => {
    heard.push(each.type);
    return totalOf(each);
  };
  expect(await connection.listen('/run', {}, onLine, never)).toBe(2);
  expect(heard).toEqual(['beat', 'understood', 'end']);
});

test('a long answer that fails, breaks off or is refused says which of these it was', async () => {
  const listen = async (text: string, status = 200) => (await agentOf(text, status)).listen('/run', {}, totalOf, never);
  await expect(listen(line({ type: 'failed', code: 'scan.ranges', error: 'scan x' }))).rejects.toMatchObject({
    ...{ family: 'refused', code: 'scan.ranges' },
  });
  await expect(listen(line({ type: 'beat' }))).rejects.toMatchObject({ code: 'peer.reset' });
  await expect(listen('no JSON\n')).rejects.toMatchObject({ code: 'peer.reset' });
  const refused = JSON.stringify({ code: 'run.outside', error: 'x' });
  await expect(listen(refused, 409)).rejects.toMatchObject({ family: 'refused', code: 'run.outside' });
});

test.each([
  ['before it began', true],
  ['while it goes on', false],
])('a caller that gives up %s asks the agent to stop, and still gets the outcome', async (_, isEarly) => {
  const stops: string[] = [];
  let end = () => {};
  const connection = await agentThat(({ url }, reply, body) => {
    if (url === '/stop') {
      stops.push(body);
      reply.end('{}');
      end();
      return;
    }
    end = () => void reply.end(line(END));
    reply.write(line({ type: 'begin', id: 'r1' }));
  });
  const caller = new AbortController();
  if (isEarly) caller.abort();
  else setTimeout(() => caller.abort(), 20);
  expect(await connection.listen('/run', {}, totalOf, caller.signal)).toBe(2);
  expect(stops).toEqual(['{"id":"r1"}']);
});

test('where the agent does not take the stop, the caller does not wait for it', async () => {
  const connection = await agentThat(({ url, socket }, reply) => {
    if (url === '/stop') socket.destroy();
    else reply.write(line({ type: 'begin', id: 'r1' }));
  });
  const caller = new AbortController();
  setTimeout(() => caller.abort(), 20);
  await expect(connection.listen('/run', {}, totalOf, caller.signal)).rejects.toMatchObject({ code: 'peer.reset' });
});

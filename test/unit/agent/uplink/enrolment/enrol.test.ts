import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { enrol } from '../../../../../src/agent/uplink/enrolment/enrol.ts';
import { ENROL_PATH } from '../../../../../src/wire/protocol.ts';
import { newIdentityKey } from '../../../../support/identity-key.ts';

const ANSWER = {
  agent_id: '0198a7a2-0000-7000-8000-00000000000a',
  token: 'secret',
  workspace_id: 'w1',
  farm_id: '0198a7a2-0000-7000-8000-00000000000f',
  task_key: newIdentityKey().publicKey,
};
const identity_key = newIdentityKey().publicKey;
let server: Server | undefined;

async function serve(listener: RequestListener): Promise<string> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
const ask = (url: string, more: object = {}) =>
  enrol({ url, code: 'CODE-1', name: 'north', version: '1.0.0', identity_key, ...more });

test('a code is exchanged for an identity', async () => {
  let body = '';
  const url = await serve((request, response) => {
    expect(`${request.method} ${request.url}`).toBe(`POST ${ENROL_PATH}`);
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => response.end(JSON.stringify({ ...ANSWER, later_field: 1 })));
  });
  expect(await ask(url)).toEqual(ANSWER);
  expect(JSON.parse(body)).toEqual({ code: 'CODE-1', name: 'north', version: '1.0.0', identity_key, protocol: 1 });
});

test.each([
  [401, 'peer.auth', 'never'],
  [410, 'peer.auth', 'never'],
  [400, 'peer.rejected', 'never'],
  [302, 'peer.rejected', 'never'],
  [429, 'peer.busy', 'later'],
  [503, 'peer.busy', 'later'],
])('an answer of %i is %s', async (status, code, retry) => {
  const url = await serve((_, response) => response.writeHead(status, { location: '/elsewhere' }).end('{}'));
  await expect(ask(url)).rejects.toMatchObject({ code, retry });
});

test('an answer that drips is ended by the total deadline', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  });
  await expect(ask(url, { deadlineMs: 200 })).rejects.toMatchObject({ code: 'peer.timeout' });
});

test('an endless or senseless answer is refused', async () => {
  const endless = await serve((_, response) => response.end('x'.repeat(100_000)));
  await expect(ask(endless)).rejects.toMatchObject({ code: 'peer.too-large' });
  server?.close();
  const senseless = await serve((_, response) => response.end('{"agent_id":"me"}'));
  await expect(ask(senseless)).rejects.toMatchObject({ code: 'peer.unparsable' });
});

test('a service that is not there is unreachable, and plain addresses elsewhere are not even tried', async () => {
  await expect(ask('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'peer.unreachable' });
  await expect(ask('http://farm.example.com')).rejects.toMatchObject({ code: 'config.invalid' });
});

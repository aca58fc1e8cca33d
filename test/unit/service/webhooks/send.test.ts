// One message over real connections: what a receiver gets, what its answers mean, and where no connection is made.

import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { createAddressPolicy, type Resolve } from '../../../../src/service/webhooks/addresses.ts';
import { createSender } from '../../../../src/service/webhooks/send.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';
import { selfSigned } from '../../service-http/certificates.data.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const MESSAGE = { id: 'msg_1', body: '{"type":"moved"}' };

/** Time in which ten seconds are a tenth of one. */
const quickClock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 100, run) };

function newSender({ allowed = LOOPBACK, resolve, clock = systemClock, ca }: Options = {}) {
  const sender = createSender({ addresses: createAddressPolicy(allowed, resolve), version: '1.2.3', clock, ca });
  onTestFinished(() => sender.close());
  return (url: string, signal?: AbortSignal) => sender.send({ url, secrets: [SECRET] }, MESSAGE, signal);
}
type Options = { allowed?: string[]; resolve?: Resolve; clock?: typeof systemClock; ca?: string };

async function newReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  return receiver;
}

test('a receiver gets the body with a signature that it can verify; any 2xx means that it was taken', async () => {
  const receiver = await newReceiver();
  const send = newSender();
  for (const status of [200, 201, 204, 299]) {
    receiver.answer = () => status;
    expect(await send(receiver.url)).toMatchObject({ status, error: null });
  }
  const [{ headers, text } = { headers: {}, text: '' }] = receiver.deliveries;
  expect(new Webhook(SECRET).verify(text, { ...webhookHeaders(headers) })).toEqual({ type: 'moved' });
  expect(headers).toMatchObject({
    ...{ 'content-type': 'application/json', 'user-agent': 'pithead/1.2.3', 'webhook-id': 'msg_1' },
  });
});

const webhookHeaders = (headers: NodeJS.Dict<string | string[]>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

test.each([400, 404, 410, 429, 500, 503])('%i is a failure', async (status) => {
  const receiver = await newReceiver();
  receiver.answer = () => status;
  expect(await newSender()(receiver.url)).toMatchObject({ status, error: `the receiver answers ${status}` });
});

test('a wait that the receiver asks for is given on', async () => {
  const receiver = await newReceiver();
  receiver.answer = () => (response) => response.writeHead(503, { 'retry-after': '120' }).end();
  expect(await newSender()(receiver.url)).toMatchObject({ status: 503, retryAfterMs: 120_000 });
});

test.each([301, 302, 303, 307, 308])('a redirect with %i is a failure and is not followed', async (status) => {
  const [receiver, other] = [await newReceiver(), await newReceiver()];
  receiver.answer = () => (response) => response.writeHead(status, { location: other.url }).end();
  const sent = await newSender()(receiver.url);
  expect(sent).toMatchObject({ status, error: expect.stringContaining('redirects are not followed') });
  expect([receiver.deliveries.length, other.deliveries.length]).toEqual([1, 0]);
});

test('of an answer without end a few KiB are read', async () => {
  const receiver = await newReceiver();
  let written = 0;
  receiver.answer = () => (response) => {
    response.writeHead(200);
    const write = () => {
      while (!response.destroyed && written < 64 * 1024 ** 2) {
        written += 65_536;
        if (!response.write(Buffer.alloc(65_536, 'x'))) return void response.once('drain', write);
      }
    };
    write();
  };
  expect(await newSender()(receiver.url)).toMatchObject({ status: 200, error: null });
  // What buffers of the two sockets take.
  expect(written).toBeLessThan(16 * 1024 ** 2);
});

test('a receiver that never answers, or sends its answer in drips, costs the deadline', async () => {
  const receiver = await newReceiver();
  const send = newSender({ clock: quickClock });
  receiver.answer = () => () => {};
  expect(await send(receiver.url)).toMatchObject({ status: null, error: 'no answer within 10 s' });
  const drips = createServer((socket) => drip(socket));
  const port = await new Promise<number>((resolve) => {
    drips.listen(0, '127.0.0.1', () => {
      const address = drips.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  onTestFinished(() => void drips.close());
  expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: null, error: 'no answer within 10 s' });
});

function drip(socket: Socket): void {
  socket.on('error', () => {});
  socket.write('HTTP/1.1 200 OK\r\n');
  const timer = setInterval(() => socket.write('x: y\r\n'), 10);
  socket.on('close', () => clearInterval(timer));
}

test('a closed port is a failure with its reason, and stopping ends what is under way', async () => {
  const receiver = await newReceiver();
  await receiver.away();
  const send = newSender();
  expect(await send(receiver.url)).toMatchObject({ status: null, error: expect.stringContaining('ECONNREFUSED') });
  await receiver.back();
  receiver.answer = () => () => {};
  const stopping = new AbortController();
  const sending = send(receiver.url, stopping.signal);
  await expect.poll(() => receiver.deliveries.length).toBe(1);
  stopping.abort();
  await expect(sending).rejects.toMatchObject({ family: 'cancelled' });
});

test('without an allowed network nothing is sent to this host, by address or by name', async () => {
  const receiver = await newReceiver();
  const { port } = new URL(receiver.url);
  const closed = newSender({ allowed: [] });
  const elsewhere = newSender({ allowed: ['10.99.0.0/16'] });
  for (const host of ['127.0.0.1', '0x7f000001', '2130706433', '[::ffff:127.0.0.1]', 'localhost'])
    for (const send of [closed, elsewhere])
      for (const protocol of ['http', 'https']) {
        const sent = await send(`${protocol}://${host}:${port}/`);
        expect(sent.status, host).toBeNull();
        expect(sent.error, host).toMatch(/webhooks\.allowedNetworks/);
      }
  expect(receiver.deliveries).toEqual([]);
});

test('a name is looked up once: the address that was checked is the one that is connected to', async () => {
  const receiver = await newReceiver();
  const { port } = new URL(receiver.url);
  const answers = ['127.0.0.1', '10.0.0.1'];
  let lookups = 0;
  const resolve: Resolve = async () => [{ address: answers[lookups++] ?? '10.0.0.1', family: 4 }];
  const sent = await newSender({ allowed: ['127.0.0.1/32'], resolve })(`http://rebind.example:${port}/`);
  expect([sent.error, lookups]).toEqual([null, 1]);
  expect(receiver.deliveries[0]?.headers.host).toBe(`rebind.example:${port}`);
});

test('of the addresses of a name only those that are permitted are tried', async () => {
  const receiver = await newReceiver();
  const { port } = new URL(receiver.url);
  const both = [
    { address: '10.0.0.1', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ];
  const allowed = ['127.0.0.1/32'];
  const sent = await newSender({ allowed, resolve: async () => both })(`http://two.example:${port}/`);
  expect(sent.error).toBeNull();
  const none = await newSender({ allowed, resolve: async () => both.slice(0, 1) })(`http://two.example:${port}/`);
  expect(none.error).toMatch(/two\.example.*webhooks\.allowedNetworks/);
  expect(none.error).not.toContain('10.0.0.1');
});

test('a name that does not exist is a failure', async () => {
  const resolve: Resolve = () => Promise.reject(new Error('getaddrinfo ENOTFOUND gone.example'));
  expect(await newSender({ resolve })('https://gone.example/')).toMatchObject({
    ...{ status: null, error: expect.stringContaining('ENOTFOUND') },
  });
});

test('a proxy of the environment is not used', async () => {
  const [receiver, proxy] = [await newReceiver(), await newReceiver()];
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'NODE_USE_ENV_PROXY'];
  for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : new URL(proxy.url).origin;
  onTestFinished(() => {
    for (const name of names) delete process.env[name];
  });
  expect((await newSender()(receiver.url)).error).toBeNull();
  expect([receiver.deliveries.length, proxy.deliveries.length]).toEqual([1, 0]);
});

test('certificates are checked, whatever the environment says', async () => {
  const receiver = await startReceiver(selfSigned);
  onTestFinished(() => receiver.stop());
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  onTestFinished(() => void delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  expect((await newSender()(receiver.url)).error).toContain('self-signed certificate');
  expect(receiver.deliveries).toEqual([]);
  expect((await newSender({ ca: selfSigned.cert })(receiver.url)).status).toBe(204);
});

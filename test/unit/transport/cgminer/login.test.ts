// A CGMiner command with the login in its parameter: it goes where it belongs and nowhere else.
import { afterEach, expect, test } from 'vitest';
import { renderError } from '../../../../src/base/errors.ts';
import { Secret } from '../../../../src/base/secrets.ts';
import { type Device, peerErrorOf, startDevice, transportTo } from '../loopback-device.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const request = {
  via: 'cgminer',
  command: 'setpool',
  carry: ({ user, password }: { user: string; password: string }) => `${user},${password},0`,
} as const;

async function miner(answer: string): Promise<{ device: Device; send(password?: string): Promise<unknown> }> {
  const device = await startDevice((socket) => socket.end(`${answer}\0`));
  const transport = transportTo({ 4028: device.port });
  open.push(transport, device);
  return {
    device,
    send: (password) =>
      transport
        .link('127.0.0.1', password === undefined ? undefined : { user: 'root', password: new Secret(password) })
        .send(request),
  };
}
const said = (STATUS: string, Msg: string) => JSON.stringify({ STATUS: [{ STATUS, Code: 1, Msg }] });

test('the login is in the parameter', async () => {
  const { device, send } = await miner(said('S', 'set'));
  expect(await send('hush-hush')).toMatchObject({ STATUS: [{ Msg: 'set' }] });
  expect(JSON.parse(device.requests[0] ?? '')).toEqual({ command: 'setpool', parameter: 'root,hush-hush,0' });
});

test('without a login nothing is sent', async () => {
  const { device, send } = await miner(said('S', 'set'));
  expect(await peerErrorOf(send())).toMatchObject({ code: 'peer.auth', wasSent: false });
  expect(device.connections).toBe(0);
});

test('waits for leave', async () => {
  const device = await startDevice((socket) => socket.end());
  const transport = transportTo({ 4028: device.port });
  open.push(transport, device);
  const beforeSending = () => Promise.reject(new Error('not now'));
  const link = transport.link('127.0.0.1', { user: 'root', password: new Secret('hush-hush'), beforeSending });
  await expect(link.send(request)).rejects.toThrow('not now');
  expect(device.connections).toBe(0);
});

test.each([
  [said('E', 'invalid password root,hush-hush,0'), 'peer.auth'],
  [said('E', 'bad: root,hush-hush,0'), 'peer.rejected'],
  ['root,hush-hush,0', 'peer.unparsable'],
  ['error root,hush-hush,0', 'peer.rejected'],
])('an answer that repeats it (%s) takes it into no error', async (answer, code) => {
  const error = await peerErrorOf((await miner(answer)).send('hush-hush'));
  expect(error.code).toBe(code);
  expect(renderError(error)).not.toContain('hush');
});

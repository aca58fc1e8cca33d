import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { createTransport, defaultTransportLimits } from '../../../src/transport/transport.ts';
import { pause, startDevice } from './loopback-device.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const ask = { via: 'cgminer', command: 'version' } as const;
const http = { via: 'http', method: 'GET', path: '/', auth: 'none', as: 'text' } as const;

describe('the reach rule', () => {
  test.each(['10.0.0.5', '127.0.0.1', 'localhost', '::1', '010.0.0.1', '127.1', 'miner.example', ''])(
    'keeps every packet from %j',
    async (ip) => {
      const device = await startDevice(() => {});
      const transport = createTransport({
        clock: systemClock,
        log: silentLog,
        portMap: new Map([4028, 4433, 80].map((port) => [port, device.port])),
        mayReach: (address) => address.startsWith('127.9.'),
      });
      open.push(device, transport);
      const link = transport.link(ip);
      const refused = { family: 'refused', code: 'reach.refused' };
      await expect(transport.probe(ip, 4028, 100)).rejects.toMatchObject(refused);
      await expect(link.send(ask)).rejects.toMatchObject(refused);
      await expect(link.sendRaw(ask)).rejects.toMatchObject(refused);
      await expect(link.look('/')).rejects.toMatchObject(refused);
      await expect(link.send(http)).rejects.toMatchObject(refused);
      await expect(link.send({ via: 'whatsminer3', cmd: 'get.device.info' })).rejects.toMatchObject(refused);
      await expect(link.send({ via: 'whatsminer2-write', cmd: 'reboot', params: {} })).rejects.toMatchObject(refused);
      await expect(link.send({ via: 'whatsminer3-write', cmd: 'set.system.reboot' })).rejects.toMatchObject(refused);
      await pause(20);
      expect(device.connections).toBe(0);
    },
  );
  test('takes names for no address even where everything may be reached', async () => {
    const transport = createTransport({ clock: systemClock, log: silentLog });
    open.push(transport);
    await expect(transport.link('localhost').send(ask)).rejects.toMatchObject({ code: 'reach.refused' });
  });
});

describe('the port map', () => {
  test('leads every kind of request to the mapped port, and others to their own', async () => {
    const device = await startDevice((socket) => socket.end('{"a":1}'));
    const transport = createTransport({ clock: systemClock, log: silentLog, portMap: new Map([[4028, device.port]]) });
    open.push(device, transport);
    const link = transport.link('127.0.0.1');
    expect(await link.send(ask)).toEqual({ a: 1 });
    expect(await link.send({ ...ask, port: device.port })).toEqual({ a: 1 });
    expect(await transport.probe('127.0.0.1', 4028, 1_000)).toBe('open');
  });
  test('does not lead outside of what ports there are', async () => {
    const transport = createTransport({ clock: systemClock, log: silentLog, portMap: new Map([[80, 70_000]]) });
    open.push(transport);
    await expect(transport.probe('127.0.0.1', 80, 100)).rejects.toMatchObject({ family: 'refused' });
    await expect(transport.probe('127.0.0.1', 0, 100)).rejects.toMatchObject({ family: 'refused' });
  });
});

test('closing cancels what is under way and what comes later', async () => {
  const device = await startDevice(() => {});
  const transport = createTransport({
    clock: systemClock,
    log: silentLog,
    portMap: new Map([4028, 80].map((port) => [port, device.port])),
  });
  open.push(device);
  const link = transport.link('127.0.0.1');
  const running = [link.send(ask), link.send(http), link.look('/')];
  const settled = Promise.allSettled(running);
  await pause(50);
  await transport.close();
  for (const outcome of await settled) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { family: 'cancelled' } });
  }
  await expect(link.send(ask)).rejects.toMatchObject({ family: 'cancelled' });
  await expect(transport.probe('127.0.0.1', 4028, 100)).rejects.toMatchObject({ family: 'cancelled' });
  expect(transport.stats()).toMatchObject({
    connections: { exchange: { inFlight: 0, waiting: 0 } },
    http: { inFlight: 0, waiting: 0 },
  });
});

describe('limits', () => {
  test('stay below half of the open files that the system allows', () => {
    for (const files of [1_024, 4_096, 20_000, 1_000_000]) {
      const { engine, http: web } = defaultTransportLimits(files);
      const sockets = engine.connectionPools.exchange.inFlight + engine.connectionPools.probe.inFlight + web.inFlight;
      expect(sockets).toBeLessThanOrEqual(Math.max(70, files / 2 - 500));
    }
  });
});

import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Engine } from '../../../../src/transport/tcp/engine.ts';
import { FIN_PROBES } from '../../../../src/transport/tcp/fin-budget.ts';
import { loopback } from '../../../support/loopback.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { listen, portOf, transportTo } from '../loopback-device.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** A server that counts how its clients leave: `ends` in order, `errors` by their code. */
async function startServer(onData: (socket: Socket) => void = () => {}) {
  const seen = { ends: 0, closes: 0, errors: [] as string[] };
  const server = createServer((socket) => {
    socket.on('error', (error: NodeJS.ErrnoException) => seen.errors.push(error.code ?? 'unknown'));
    socket.on('end', () => seen.ends++);
    socket.on('close', () => seen.closes++);
    socket.on('data', () => onData(socket));
    // Reads to the end also where there is nothing to read.
    socket.resume();
  });
  await listen(server, '0.0.0.0');
  open.push(server);
  return { seen, port: portOf(server) };
}

const transport = (port: number) => {
  const made = transportTo({ 4028: port });
  open.push(made);
  return made;
};

const ask = { via: 'cgminer', command: 'summary' } as const;
const JSON_ANSWER = '{"STATUS":[{"STATUS":"S"}],"SUMMARY":[{"Elapsed":1}]}';

describe('a device sees our connection end in order', () => {
  test('after a probe', async () => {
    const { seen, port } = await startServer();
    expect(await transport(port).probe('127.0.0.1', 4028, 20_000)).toBe('open');
    await expect.poll(() => seen).toEqual({ ends: 1, closes: 1, errors: [] });
  });
  test('after a probe that it answers, as CGMiner answers an empty request', async () => {
    const { seen, port } = await startServer();
    const talker = createServer((socket) => {
      socket.on('error', (error: NodeJS.ErrnoException) => seen.errors.push(error.code ?? 'unknown'));
      socket.on('end', () => seen.ends++);
      socket.on('close', () => seen.closes++);
      socket.resume();
      socket.write('STATUS=E,When=1,Code=14,Msg=Invalid command,Description=cgminer 4.11.1|');
      setTimeout(() => socket.destroyed || socket.write('\0'), 20);
    });
    await listen(talker, '0.0.0.0');
    open.push(talker);
    expect(port).not.toBe(portOf(talker));
    expect(await transport(portOf(talker)).probe('127.0.0.1', 4028, 20_000)).toBe('open');
    await expect.poll(() => seen).toEqual({ ends: 1, closes: 1, errors: [] });
  });
  test('after an answer with more behind its end', async () => {
    const { seen, port } = await startServer((socket) => {
      socket.write(JSON_ANSWER);
      setTimeout(() => socket.destroyed || socket.write('\n'), 5);
      setTimeout(() => socket.destroyed || socket.write('\0'), 20);
    });
    await transport(port).link('127.0.0.1').send(ask);
    await expect.poll(() => seen).toEqual({ ends: 1, closes: 1, errors: [] });
  });
  test('after a timeout, also where its answer comes too late', async () => {
    const { seen, port } = await startServer((socket) => {
      socket.write(JSON_ANSWER.slice(0, 10));
      setTimeout(() => socket.destroyed || socket.write(JSON_ANSWER.slice(10)), 80);
      setTimeout(() => socket.destroyed || socket.write('\0'), 100);
    });
    const sent = transport(port).link('127.0.0.1').send(ask, { deadlineMs: 40 });
    await expect(sent).rejects.toMatchObject({ code: 'peer.timeout' });
    await expect.poll(() => seen).toEqual({ ends: 1, closes: 1, errors: [] });
  });
});

test('a device that never closes its side is let go after a second', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.resume();
  });
  await listen(server, '0.0.0.0');
  const clock = createVirtualClock();
  const engine = new Engine(clock, {
    launchPerTick: 48,
    connectionPools: { exchange: { inFlight: 10, waiting: 10 }, probe: { inFlight: 10, waiting: 10 } },
  });
  open.push(engine, server);
  await engine.run('probe', { ip: '127.0.0.1', port: portOf(server) }, 20_000);
  expect(engine.stats().closing).toBe(1);
  await clock.advance(1_100);
  await expect.poll(() => engine.stats().closing).toBe(0);
});

describe('probes that would fill the local ports', () => {
  test('end with a reset beyond the budget', async () => {
    const { seen, port } = await startServer();
    const { probe } = transport(port);
    const count = FIN_PROBES + 1_000;
    const nets = [loopback(20), loopback(20)];
    const address = (i: number) => nets[i >> 12]?.ip(i & 4_095) ?? '';
    const all = await Promise.all(Array.from({ length: count }, (_, i) => probe(address(i), 4028, 60_000)));
    expect(new Set(all)).toEqual(new Set(['open']));
    await expect.poll(() => seen.ends, { timeout: 20_000 }).toBe(FIN_PROBES);
  });
});

// The listener for /metrics: it shows all groups of figures on one page, serves nothing else, and a port that is taken
// costs nobody more than the figures.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Gauge, Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { createProcessFigures, type Figures } from '../../../../src/base/metrics/figures.ts';
import { createMetricsListener, metricsUrl } from '../../../../src/base/metrics/listener.ts';
import { until } from '../../../e2e/until.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

function countLooks(): Figures {
  const registry = new Registry();
  const looks = new Gauge({ name: 'looks', help: 'How often it was looked', registers: [registry] });
  return { registry, refresh: () => looks.inc() };
}

/** A free port, and what holds it. */
async function holdPort() {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP port was asked for');
  return { port: address.port, release: () => new Promise((resolve) => holder.close(resolve)) };
}

async function start(figures: readonly Figures[], host = '127.0.0.1', isTaken = false) {
  const { port, release } = await holdPort();
  if (!isTaken) await release();
  const clock = createVirtualClock();
  const lines: { level: string; message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const line = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    lines.push({ level, message, fields });
  };
  const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  const address = { host, port };
  const listener = createMetricsListener({ address, figures, clock, log });
  await listener.start();
  onTestFinished(() => listener.stop());
  await until(
    () => lines.length,
    (count) => count > 0,
    5_000,
  );
  return { url: metricsUrl({ host: '127.0.0.1', port }), lines, clock, release, listener };
}

test('one page shows the figures of all groups, brought up to date for it', async () => {
  const { url, lines } = await start([createProcessFigures('1.2.3'), countLooks()]);
  await fetch(url);
  const reply = await fetch(url);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const text = await reply.text();
  expect(text).toContain('looks 2\n');
  expect(text).toContain('pithead_build_info{version="1.2.3"} 1\n');
  expect(Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(1e6);
  expect(Number(/^process_cpu_seconds_total ([\d.]+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
  expect(lines.map(({ level }) => level)).toEqual(['info']);
});

test.each([
  ['GET', '/', 404],
  ['GET', '/metrics/x', 404],
  ['POST', '/metrics', 405],
  ['HEAD', '/metrics', 200],
  ['GET', '/metrics?x=1', 200],
])('%s %s is answered with %i', async (method, path, status) => {
  const { url } = await start([countLooks()]);
  const reply = await fetch(new URL(path, url), { method });
  expect(reply.status).toBe(status);
  expect(reply.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD' : null);
});

test('figures that cannot be made are an error of that page, and are made again for the next', async () => {
  let isBroken = true;
  const registry = new Registry();
  const refresh = () => {
    if (isBroken) throw new Error('no state');
  };
  const { url, lines } = await start([{ registry, refresh }]);
  expect((await fetch(url)).status).toBe(500);
  expect(lines.at(-1)).toMatchObject({ level: 'error', fields: { error: 'no state' } });
  isBroken = false;
  expect((await fetch(url)).status).toBe(200);
});

test('a port that is taken is told with what to do, and is listened at as soon as it is free', async () => {
  const { url, lines, clock, release } = await start([countLooks()], '127.0.0.1', true);
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'error',
      fields: expect.objectContaining({ url, remedy: expect.stringContaining('metrics.port') }),
    }),
  ]);
  await release();
  await clock.advance(60_000);
  await until(
    () => lines.at(-1)?.level,
    (level) => level === 'info',
    5_000,
  );
  expect((await fetch(url)).status).toBe(200);
});

test('a listener beyond this host warns that everybody can read the figures', async () => {
  const { lines } = await start([countLooks()], '0.0.0.0');
  await until(
    () => lines.length,
    (count) => count === 2,
    5_000,
  );
  expect(lines.map(({ level }) => level)).toEqual(['info', 'warn']);
});

test('after its stop nothing listens', async () => {
  const { url, listener } = await start([countLooks()]);
  expect((await fetch(url)).status).toBe(200);
  await listener.stop();
  await expect(fetch(url)).rejects.toThrow();
});

// A background scan is gentle and repeats nothing; a manual one asks everything.
import { expect, test } from 'vitest';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { createScanning } from '../../../../src/agent/scan/scanning.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { loopback } from '../../../support/loopback.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const { network: NETWORK, ip: ipOf } = loopback();
const MINER = ipOf(9);

function setUp(knownIps: readonly string[] = [MINER]) {
  const clock = createVirtualClock();
  const config = parseConfig(JSON.stringify({ networks: [NETWORK], scan: { every: '1h' } }), {
    baseDir: '.',
    environment: {},
    name: 'test',
  });
  const probes: number[] = [];
  const wasGentle: boolean[] = [];
  const scanning = createScanning({
    clock,
    log: silentLog,
    random: () => 0.5,
    settings: config,
    client: {
      transport: {
        probe: async (ip: string, port: number) => {
          probes.push(clock.monotonicMs());
          return ip === MINER && port === 80 ? 'open' : 'refused';
        },
      },
      async recognise(_ip, _open, _signal, _isLastTry, isGentle = false) {
        wasGentle.push(isGentle);
        return { status: 'unknown', evidence: { family: undefined } };
      },
      writeMet() {},
    },
    fleet: { recognised: async () => {} },
    knownIps: () => knownIps,
    signal: new AbortController().signal,
    onError() {},
  });
  return { clock, scanning, probes, wasGentle };
}

test('a scheduled scan repeats nothing that was asked a moment ago, and takes its time', async () => {
  const { clock, scanning, probes, wasGentle } = setUp();
  scanning.scanner.start();
  await clock.advance(60_000);
  await clock.finish(scanning.scanner.stop());
  expect(wasGentle).toEqual([true, true]);
  expect((probes.at(-1) ?? 0) - (probes[0] ?? 0)).toBeGreaterThan(9_000);
});

test('a manual scan asks everything again, as fast as this host bears', async () => {
  const { clock, scanning, probes, wasGentle } = setUp();
  const plan = scanning.plan();
  if (plan === undefined) throw new Error('there is nothing to scan');
  await clock.finish(scanning.manual.run('mine', plan));
  expect(wasGentle).toEqual([false, false]);
  expect((probes.at(-2) ?? 0) - (probes[0] ?? 0)).toBeLessThan(5_000);
});

test('so does the first scan of all, before any miner is known: a person waits for it', async () => {
  const { clock, scanning, probes, wasGentle } = setUp([]);
  scanning.scanner.start();
  await clock.advance(5_000);
  await clock.finish(scanning.scanner.stop());
  expect(probes.length).toBeGreaterThanOrEqual(254 * 3);
  expect(wasGentle[0]).toBe(false);
});

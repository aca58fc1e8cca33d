import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { makeDir, sample } from '../unit/agent/outbox/farm-records.ts';
import { startService } from '../unit/agent/uplink/tiny-service.ts';
import { uplinkTo } from '../unit/agent/uplink/uplink-to.ts';
import { isFull, isWithin, report } from './table.ts';

/** The short run has the same clockwork, forty times as fast. */
const SPEED = isFull ? 1 : 40;
const timing = { pingMs: 15_000 / SPEED, silenceMs: 40_000 / SPEED, backoff: { baseMs: 50, capMs: 200 } };

test('a service that is silently gone is noticed, and reporting goes on without a gap', async () => {
  const dir = makeDir({ isQuick: true });
  const service = await startService();
  const outbox = openOutbox(dir.path(''), {
    clock: systemClock,
    log: silentLog,
    newEpoch: randomUUID,
    settings: { flushMs: 20 },
  });
  let produced = 0;
  let frozenMs: number | undefined;
  let noticedMs: number | undefined;
  const uplink = uplinkTo(service.url, {
    source: outbox.source('farm'),
    onState({ phase }) {
      if (frozenMs !== undefined && phase !== 'online') noticedMs ??= performance.now() - frozenMs;
    },
    ...(isFull ? { timing: { backoff: timing.backoff } } : { timing }),
  });
  const until = async (isTrue: () => boolean, limitMs: number) => {
    const endsAtMs = performance.now() + limitMs;
    while (!isTrue() && performance.now() < endsAtMs) await systemClock.sleep(10);
  };
  try {
    uplink.start();
    await outbox.append([sample(++produced, Date.now())]);
    await until(() => service.samples().length === 1, 10_000);
    service.freeze();
    frozenMs = performance.now();
    // What is offered meanwhile must not pass for a sign of life.
    while (noticedMs === undefined && performance.now() - frozenMs < 60_000) {
      // Once is not enough: a message that is being taken apart resumes its socket.
      service.freeze();
      await outbox.append([sample(++produced, Date.now())]);
      service.freeze();
      await systemClock.sleep(500 / SPEED);
    }
    const noticedS = (noticedMs ?? Number.POSITIVE_INFINITY) / 1_000;
    await until(() => new Set(service.samples()).size === produced, 20_000);
    const arrived = new Set(service.samples()).size;
    report({
      id: 'R11',
      value: `noticed after ${noticedS.toFixed(1)} s${isFull ? '' : ` at ${SPEED} times the speed`}, then ${arrived} of ${produced} samples there, ${service.holes()} holes`,
      bar: 'noticed ≤ 45 s, no gap',
      isMet: noticedMs !== undefined && isWithin(noticedMs, 45_000) && arrived === produced && service.holes() === 0,
    });
  } finally {
    await uplink.stop();
    await service.stop();
    await outbox.close();
    dir.remove();
  }
});

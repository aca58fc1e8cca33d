// The outbox and the uplink of an agent that starts with a long backlog; the service is a small one. How soon miners are polled is not measured
// here: nothing that polls waits for the outbox once it is open.
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { createUplink } from '../../src/agent/uplink/uplink.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import { makeDir, sample } from '../unit/agent/outbox/farm-records.ts';
import { startService } from '../unit/agent/uplink/tiny-service.ts';
import { isFull, isWithin, report } from './table.ts';

const BYTES = isFull ? 200e6 : 8e6;
const RECORD_BYTES = 400_000;
const settings = { sliceRecords: 1, maxPendingBytes: 64e6 };

test('a start with a long backlog reports at once', async () => {
  const dir = makeDir({ isQuick: true });
  const open = () =>
    openOutbox(dir.path(''), { clock: systemClock, log: silentLog, newEpoch: randomUUID, settings, diskUse });
  const service = await startService();
  service.behaviour.takesLanes = true;
  try {
    const before = open();
    before.setUplinks(['farm']);
    for (let number = 0; before.state().bytes < BYTES; number++) {
      await before.append([
        { ...sample(number, Date.now()), abilities: [randomBytes(RECORD_BYTES / 2).toString('hex')] },
      ]);
    }
    const { bytes, slices } = before.state();
    await before.close();

    const startedMs = performance.now();
    const outbox = open();
    const openedMs = performance.now() - startedMs;
    outbox.setUplinks(['farm']);
    let firstMs: number | undefined;
    let liveMs: number | undefined;
    service.behaviour.onSlice = () => {
      firstMs ??= performance.now() - startedMs;
      if (liveMs === undefined && service.samples().includes(1e9)) liveMs = performance.now() - startedMs;
    };
    const uplink = createUplink({
      name: 'farm',
      url: service.url,
      credentials: { agentId: randomUUID(), token: new Secret('token') },
      version: '1.2.3',
      source: outbox.source('farm'),
      tasks: { onTasks: () => {}, onCancel: () => {} },
      clock: systemClock,
      random: Math.random,
      log: silentLog,
    });
    uplink.start();
    while (firstMs === undefined && performance.now() - startedMs < 20_000) await systemClock.sleep(5);
    await outbox.append([sample(1e9, Date.now())]);
    while (liveMs === undefined && performance.now() - startedMs < 20_000) await systemClock.sleep(5);
    await uplink.stop();
    await outbox.close();
    report({
      id: 'R18',
      value: `${Math.round(bytes / 1e6)} MB in ${slices} slices: open after ${Math.round(openedMs)} ms, first slice stored after ${Math.round(firstMs ?? Number.NaN)} ms, first new one after ${Math.round(liveMs ?? Number.NaN)} ms`,
      bar: '200 MB: reporting ≤ 5 s, first poll ≤ 10 s',
      isMet: firstMs !== undefined && liveMs !== undefined && isWithin(firstMs, 5_000) && isWithin(liveMs, 10_000),
    });
  } finally {
    await service.stop();
    dir.remove();
  }
});

/** Memory disks are small: what counts here is time. */
const diskUse = () => ({ totalBytes: 1e12, freeBytes: 5e11 });

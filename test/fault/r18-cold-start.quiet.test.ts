// An agent that starts with a long backlog: its outbox and its uplink with a small service, then the whole of it as a
// process, with miners that it knows and a real service.
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'vitest';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import type { Outbox } from '../../src/agent/outbox/outbox.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { until } from '../e2e/until.ts';
import { makeDir, sample } from '../unit/agent/outbox/farm-records.ts';
import { startService } from '../unit/agent/uplink/tiny-service.ts';
import { uplinkTo } from '../unit/agent/uplink/uplink-to.ts';
import { pause, startAgentSite } from './agent-site.ts';
import { isFull, isWhole, isWithin, report } from './table.ts';

const BYTES = isWhole ? 1.95 * 1024 ** 3 : isFull ? 200e6 : 8e6;
const RECORD_BYTES = 400_000;
const settings = { sliceRecords: 1, maxPendingBytes: 64e6 };

test('a start with a long backlog reports at once', async () => {
  const dir = makeDir({ isQuick: true });
  const open = () =>
    openOutbox(dir.path(''), { clock: systemClock, log: silentLog, newEpoch: randomUUID, settings, diskUse });
  const service = await startService();
  try {
    const before = open();
    await before.setUplinks(['farm']);
    await fill(before);
    const { bytes, slices } = before.state();
    await before.close();

    const startedMs = performance.now();
    const outbox = open();
    const openedMs = performance.now() - startedMs;
    await outbox.setUplinks(['farm']);
    let firstMs: number | undefined;
    let liveMs: number | undefined;
    service.behaviour.onSlice = () => {
      firstMs ??= performance.now() - startedMs;
      if (liveMs === undefined && service.samples().includes(1e9)) liveMs = performance.now() - startedMs;
    };
    const uplink = uplinkTo(service.url, {
      source: outbox.source('farm'),
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
      bar: `${isWhole ? '2 GiB' : '200 MB'}: reporting ≤ 5 s, first poll ≤ 10 s`,
      isMet: firstMs !== undefined && liveMs !== undefined && isWithin(firstMs, 5_000) && isWithin(liveMs, 10_000),
    });
  } finally {
    await service.stop();
    dir.remove();
  }
});

async function fill(outbox: Outbox): Promise<void> {
  for (let number = 0; outbox.state().bytes < BYTES; number++) {
    await outbox.append([
      { ...sample(number, Date.now()), abilities: [randomBytes(RECORD_BYTES / 2).toString('hex')] },
    ]);
  }
}

const MINERS = 40;

test.runIf(isFull)('an agent with a long backlog polls the miners that it knows at once', async () => {
  const site = await startAgentSite({ miners: MINERS, mix: 'all' });
  try {
    const freshSince = async (sinceMs: number) =>
      (await site.miners()).filter(({ last_updated_at }) => Date.parse(last_updated_at ?? '') > sinceMs).length;
    const first = site.startAgent();
    await until(
      () => freshSince(0),
      (count) => count === MINERS,
      60_000,
    );
    first.kill('SIGTERM');
    await first.end();
    const backlog = openOutbox(join(site.folder, 'state'), {
      clock: systemClock,
      log: silentLog,
      newEpoch: randomUUID,
      settings,
      diskUse,
    });
    await backlog.setUplinks(['service']);
    await fill(backlog);
    const { bytes } = backlog.state();
    await backlog.close();

    const slices = () => site.stored('SELECT seq FROM ingest_cursors').reduce((sum, { seq }) => sum + Number(seq), 0);
    const slicesBefore = slices();
    const asked = () => site.farm.devices.filter(({ requests }, index) => requests > (before[index] ?? 0)).length;
    const before = site.farm.devices.map(({ requests }) => requests);
    const sinceMs = Date.now();
    const startMs = performance.now();
    const again = site.startAgent();
    let [firstAskedMs, firstSliceMs, firstFreshMs, allFreshMs] = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
    while (Number.isNaN(allFreshMs) && performance.now() - startMs < 60_000) {
      await pause(20);
      const nowMs = performance.now() - startMs;
      if (Number.isNaN(firstAskedMs) && asked() > 0) firstAskedMs = nowMs;
      if (Number.isNaN(firstSliceMs) && slices() > slicesBefore) firstSliceMs = nowMs;
      const fresh = await freshSince(sinceMs);
      if (Number.isNaN(firstFreshMs) && fresh > 0) firstFreshMs = nowMs;
      if (fresh === MINERS) allFreshMs = nowMs;
    }
    again.kill('SIGTERM');
    await again.end();
    report({
      id: 'R18',
      value: `${Math.round(bytes / 1e6)} MB, whole agent, ${MINERS} known miners: first asked after ${Math.round(firstAskedMs)} ms, first slice stored after ${Math.round(firstSliceMs)} ms, first new sample after ${Math.round(firstFreshMs)} ms, of all miners after ${Math.round(allFreshMs)} ms`,
      bar: `${isWhole ? '2 GiB' : '200 MB'}: reporting ≤ 5 s, first poll ≤ 10 s`,
      isMet: isWithin(firstAskedMs, 10_000) && isWithin(firstSliceMs, 5_000) && !Number.isNaN(allFreshMs),
    });
  } finally {
    await site.stop();
  }
});

/** Memory disks are small: what counts here is time. */
const diskUse = () => ({ totalBytes: 1e12, freeBytes: 5e11 });

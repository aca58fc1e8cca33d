// What an uplink reports of time: the order and the age of slices, and how far this host's clock is from the service's.
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOutbox, type Outbox } from '../../../../src/agent/outbox/outbox.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/storage/store.ts';
import type { Uplink } from '../../../../src/agent/uplink/uplink.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { makeDir, sample } from '../outbox/farm-records.ts';
import { startService, type TinyService } from './tiny-service.ts';
import { uplinkTo } from './uplink-to.ts';

const WAIT = { interval: 5 };
const HOUR_MS = 3_600_000;
const clock = createVirtualClock(Date.now());
let dir: ReturnType<typeof makeDir>;
let db: DatabaseSync;
let outbox: Outbox;
let service: TinyService;
let uplink: Uplink | undefined;

beforeEach(async () => {
  dir = makeDir();
  db = openSqlite(dir.path('outbox.db'), [outboxMigrations]);
  outbox = createOutbox(db, { clock, log: silentLog, newEpoch: randomUUID });
  await outbox.setUplinks(['farm']);
  service = await startService();
});
afterEach(async () => {
  await uplink?.stop();
  await service.stop();
  await outbox.close();
  db.close();
  dir.remove();
});

function link(url = service.url): void {
  uplink = uplinkTo(url, { source: outbox.source('farm'), clock, allowPlain: true });
  uplink.start();
}

test('slices carry their number through all epochs, and an age that no step of the clock changes', async () => {
  const source = outbox.source('farm');
  await outbox.append([sample(1, clock.nowMs())]);
  await clock.advance(60_000);
  clock.stepWall(-2 * HOUR_MS);
  await outbox.append([sample(2, clock.nowMs())]);
  await source.split();
  await clock.advance(10_000);
  clock.stepWall(5 * HOUR_MS);
  await outbox.append([sample(3, clock.nowMs())]);
  clock.suspend(HOUR_MS);
  link();
  await expect.poll(() => service.headers.length, WAIT).toBe(3);
  const byOrder = service.headers.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  expect(byOrder.map(({ order, seq, age_ms }) => ({ order, seq, age_ms }))).toEqual([
    { order: 1, seq: 1, age_ms: HOUR_MS + 70_000 },
    { order: 2, seq: 2, age_ms: HOUR_MS + 10_000 },
    { order: 3, seq: 1, age_ms: HOUR_MS },
  ]);
  const [{ outbox: name }] = await source.epochs();
  expect(service.frames[0]).toMatchObject({ type: 'hello', outbox: name });
});

test('a step of this host moves the skew against a service elsewhere, not against one that shares its clock', async () => {
  const skew = () => uplink?.state().skewMs ?? Number.NaN;
  // The same listener, under an address that does not say that it is this machine.
  link(`http://[::ffff:127.0.0.1]:${service.port}`);
  await expect.poll(() => uplink?.state().phase, WAIT).toBe('online');
  const before = skew();
  const { connectedSince = 0 } = uplink?.state() ?? {};
  clock.stepWall(2 * HOUR_MS);
  expect(skew()).toBe(before - 2 * HOUR_MS);
  clock.stepWall(-4 * HOUR_MS);
  expect(skew()).toBe(before + 2 * HOUR_MS);
  expect(uplink?.state().connectedSince).toBe(connectedSince - 2 * HOUR_MS);
  await uplink?.stop();
  link();
  await expect.poll(() => uplink?.state().phase, WAIT).toBe('online');
  const shared = skew();
  clock.stepWall(2 * HOUR_MS);
  expect(skew()).toBe(shared);
});

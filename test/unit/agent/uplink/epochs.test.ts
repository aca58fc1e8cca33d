import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Outbox } from '../../../../src/agent/outbox/outbox.ts';
import { createOutbox } from '../../../../src/agent/outbox/outbox.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/storage/store.ts';
import type { Uplink } from '../../../../src/agent/uplink/uplink.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { makeDir, sample } from '../outbox/farm-records.ts';
import { startService, type TinyService } from './tiny-service.ts';
import { uplinkTo } from './uplink-to.ts';

const WAIT = { interval: 5 };
let dir: ReturnType<typeof makeDir>;
let db: DatabaseSync;
let outbox: Outbox;
let service: TinyService;
let uplink: Uplink | undefined;
let produced = 0;

const openOutbox = async () => {
  db = openSqlite(dir.path('outbox.db'), [outboxMigrations]);
  outbox = createOutbox(db, { clock: systemClock, log: silentLog, newEpoch: randomUUID, settings: { flushMs: 5 } });
  await outbox.setUplinks(['farm']);
};

beforeEach(async () => {
  dir = makeDir();
  await openOutbox();
  service = await startService();
  produced = 0;
});
afterEach(async () => {
  await uplink?.stop();
  uplink = undefined;
  await service.stop();
  await outbox.close();
  db.close();
  dir.remove();
});

async function produce(slices: number): Promise<void> {
  for (let slice = 0; slice < slices; slice++) await outbox.append([sample(++produced, 0)]);
}

function link(): void {
  uplink = uplinkTo(service.url, {
    source: outbox.source('farm'),
    timing: { backoff: { baseMs: 5, capMs: 20 } },
  });
  uplink.start();
}

const sorted = () => service.samples().toSorted((a, b) => a - b);
const all = () => Array.from({ length: produced }, (_, index) => index + 1);

test('what is new is stored while a backlog is still on its way, and nothing is lost, doubled or out of its order', async () => {
  await produce(200);
  let newest = 0;
  let whenNewest: number | undefined;
  service.behaviour.onSlice = () => {
    if (service.samples().includes(201)) whenNewest ??= service.samples().length;
    // Whenever the service has stored 20 slices, one more is written.
    const count = service.samples().length;
    if (count % 20 === 0 && newest === 0) {
      newest = 201;
      void produce(1);
    }
  };
  link();
  await expect.poll(() => newest, WAIT).toBe(201);
  await expect.poll(sorted, WAIT).toEqual(all());
  expect(whenNewest).toBeLessThan(201);
  expect(service.stored.size).toBe(2);
  expect(service.duplicates()).toBe(0);
  expect(service.holes()).toBe(0);
  await expect.poll(() => outbox.state().slices, WAIT).toBe(0);
  expect(await outbox.source('farm').epochs()).toHaveLength(1);
});

test('connections cut at any slice, and restarts, keep every epoch whole', async () => {
  let count = 0;
  service.behaviour.onSlice = () => {
    if (++count % 9 === 0) service.cut();
  };
  await produce(80);
  link();
  for (let round = 0; round < 4; round++) {
    await produce(60);
    await uplink?.stop();
    await outbox.close();
    db.close();
    await openOutbox();
    link();
  }
  await expect.poll(sorted, WAIT).toEqual(all());
  expect(service.holes()).toBe(0);
  await expect.poll(() => outbox.state().backlog.farm, WAIT).toBe(0);
});

test('an epoch whose row was damaged goes out again rather than not at all', async () => {
  await produce(40);
  await outbox.source('farm').split();
  await produce(40);
  await outbox.source('farm').split();
  await produce(5);
  for (const index of [0, 1, 2]) {
    await outbox.close();
    db.prepare(
      'UPDATE outbox_epochs SET crc = crc + 1 WHERE base = (SELECT base FROM outbox_epochs ORDER BY base LIMIT 1 OFFSET ?)',
    ).run(index);
    db.close();
    await openOutbox();
    expect(outbox.state().backlog).toEqual({ farm: 85 });
    expect((await outbox.source('farm').epochs()).map(({ nextSeq }) => nextSeq - 1)).toEqual([40, 40, 5]);
  }
  link();
  await expect.poll(sorted, WAIT).toEqual(all());
  expect(service.duplicates()).toBe(0);
});

test('an epoch of which the service has more than was ever written begins anew, and the others go on', async () => {
  await produce(40);
  const source = outbox.source('farm');
  await source.split();
  await produce(40);
  const [first, second] = await source.epochs();
  await source.acknowledge(10, second?.epoch ?? '');
  await source.renewEpoch(90, second?.epoch ?? '');
  await outbox.flush();
  expect((await source.epochs()).map(({ epoch }) => epoch === first?.epoch || epoch === second?.epoch)).toEqual([
    true,
    true,
    false,
  ]);
  expect(outbox.state().backlog).toEqual({ farm: 40 + 30 + 1 });
});

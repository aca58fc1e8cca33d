// An outbox that was put back from a copy begins new epochs: its numbers may have been sent with other contents since.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { openOutbox } from '../../../../src/agent/outbox/open.ts';
import { beginNewEpochs } from '../../../../src/agent/outbox/storage/epoch-reset.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { contents, readOldest, sample } from './farm-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'pithead-restored-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the same outbox, opened again, has another epoch', async () => {
  let epochs = 0;
  const open = () =>
    openOutbox(folder, { clock: createVirtualClock(), log: silentLog, newEpoch: () => `epoch-${++epochs}` });
  const epochOf = async (): Promise<string> => {
    const outbox = open();
    await outbox.setUplinks(['service']);
    const { epoch } = (await outbox.source('service').epochs())[0];
    await outbox.close();
    return epoch;
  };
  const first = await epochOf();
  expect(await epochOf()).toBe(first);
  beginNewEpochs(join(folder, 'outbox.sqlite'));
  expect(await epochOf()).not.toBe(first);
});

test('it has another name, since its numbers may come again, and declares no gap for that', async () => {
  const own = mkdtempSync(join(folder, 'named-'));
  const open = async (produced: number) => {
    const outbox = openOutbox(own, { clock: createVirtualClock(), log: silentLog, newEpoch: randomUUID });
    await outbox.setUplinks(['service']);
    if (produced > 0) await outbox.append([sample(produced, 0)]);
    const slices = await readOldest(outbox, 'service');
    const { outbox: name } = (await outbox.source('service').epochs())[0];
    await outbox.close();
    return { name, slices };
  };
  const before = await open(1);
  expect((await open(2)).name).toBe(before.name);
  beginNewEpochs(join(own, 'outbox.sqlite'));
  const after = await open(0);
  expect(after.name).not.toBe(before.name);
  expect(after.slices.map(({ header }) => header.order)).toEqual([1, 2]);
  expect(contents(after.slices)).toMatchObject({ samples: [1, 2], gaps: [] });
});

test('an uplink whose service was put back with it keeps its epoch', async () => {
  const own = mkdtempSync(join(folder, 'two-'));
  let epochs = 0;
  const epochsOf = async () => {
    const newEpoch = () => `epoch-${++epochs}`;
    const outbox = openOutbox(own, { clock: createVirtualClock(), log: silentLog, newEpoch });
    await outbox.setUplinks(['embedded', 'service']);
    const positions = await Promise.all(['embedded', 'service'].map((name) => outbox.source(name).epochs()));
    await outbox.close();
    return positions.map(([{ epoch }]) => epoch);
  };
  const [embedded, service] = await epochsOf();
  beginNewEpochs(join(own, 'outbox.sqlite'), ['embedded']);
  const after = await epochsOf();
  expect(after[0]).toBe(embedded);
  expect(after[1]).not.toBe(service);
});

test('a database without an outbox is left as it is', () => {
  const path = join(folder, 'other.sqlite');
  new DatabaseSync(path).close();
  expect(() => beginNewEpochs(path)).not.toThrow();
});

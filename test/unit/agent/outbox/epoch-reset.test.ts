// An outbox that was put back from a copy begins new epochs: its numbers may have been sent with other contents since.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { beginNewEpochs } from '../../../../src/agent/outbox/epoch-reset.ts';
import { openOutbox } from '../../../../src/agent/outbox/open.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { createVirtualClock } from '../../../virtual-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'pithead-restored-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the same outbox, opened again, has another epoch', async () => {
  let epochs = 0;
  const open = () =>
    openOutbox(folder, { clock: createVirtualClock(), log: silentLog, newEpoch: () => `epoch-${++epochs}` });
  const epochOf = async (): Promise<string> => {
    const outbox = open();
    await outbox.setUplinks(['service']);
    const { epoch } = (await outbox.source('service').lanes())[0];
    await outbox.close();
    return epoch;
  };
  const first = await epochOf();
  expect(await epochOf()).toBe(first);
  beginNewEpochs(join(folder, 'outbox.sqlite'));
  expect(await epochOf()).not.toBe(first);
});

test('an uplink whose service was put back with it keeps its epoch', async () => {
  const own = mkdtempSync(join(folder, 'two-'));
  let epochs = 0;
  const epochsOf = async () => {
    const newEpoch = () => `epoch-${++epochs}`;
    const outbox = openOutbox(own, { clock: createVirtualClock(), log: silentLog, newEpoch });
    await outbox.setUplinks(['embedded', 'service']);
    const lanes = await Promise.all(['embedded', 'service'].map((name) => outbox.source(name).lanes()));
    await outbox.close();
    return lanes.map(([{ epoch }]) => epoch);
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

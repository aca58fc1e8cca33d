// Historical metrics of what is not always told: a reading without a value is no reading of 0, and a miner that never
// tells one adds nothing.
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { newId, openStore, type Store } from '../../../../../src/service/store/store.ts';
import { temporaryDatabase } from '../../../../support/database.ts';
import { minerRecord, SILENT } from '../../../service-http/records.ts';

const MINUTE_MS = 60_000;
const BEGIN_MS = Date.UTC(2026, 2, 2);

type Told = {
  readonly hashrate?: number | null;
  readonly power?: number | null;
  readonly isSilent?: boolean;
  readonly isMissed?: boolean;
};

/** Reports an hour of miners, minute by minute; `slices` = minutes to a slice. Gives its first cell and the hour. */
async function reportHour(store: Store, minutes: number, miners: readonly ((minute: number) => Told)[]) {
  const farmId = newId(1);
  const [agentId, epoch] = [newId(1), randomUUID()];
  await store.tenants.createWorkspace({ id: farmId, name: 'w', slug: farmId }, 1);
  await store.tenants.createFarm({ id: farmId, workspaceId: farmId, name: 'F' }, 1);
  await store.agents.createCode({ hash: farmId, farmId, nowMs: 1, expiresAtMs: 2 });
  await store.agents.enrol(farmId, {
    id: agentId,
    name: 'agent',
    tokenHash: '',
    identityKey: 'k',
    version: '1',
    nowMs: 1,
  });
  const keys = miners.map(() => randomUUID());
  for (let start = 0; start < 60; start += minutes) {
    const nowMs = BEGIN_MS + (start + minutes) * MINUTE_MS;
    const records = Array.from({ length: minutes }, (_, index) => start + index).flatMap((minute) =>
      miners.map((tell, n) => {
        const { hashrate = 110e12, power = 3_250, isSilent = false, isMissed = isSilent } = tell(minute);
        return minerRecord(n, BEGIN_MS + minute * MINUTE_MS, {
          key: keys[n] ?? '',
          document: { last_check_succeed: !isMissed, hashrate, power },
          extras: { flags: isSilent ? [SILENT] : [] },
        });
      }),
    );
    const slice = { agentId, farmId, epoch, seq: start / minutes + 1, records, rejected: 0 };
    await store.ingest.storeSlice({ ...slice, producedAtMs: nowMs, nowMs });
  }
  const window = { farmId, fromMs: BEGIN_MS, toMs: BEGIN_MS + 60 * MINUTE_MS, nowMs: BEGIN_MS + 60 * MINUTE_MS };
  const [cell] = await store.history.query({ ...window, granularity: '10min' });
  const [hour] = await store.history.query({ ...window, granularity: 'hour' });
  return { cell, hour };
}

const plain = () => ({});
const unknown = { hashrate: null, power: null };

test.each([
  ['one whose every second reading lacks both', [(minute: number) => (minute % 2 === 0 ? unknown : {})], 110e12, 3_250],
  ['one of two that never tells its power', [plain, () => ({ power: null })], 220e12, 3_250],
  [
    'one of two that tells its power once',
    [plain, (minute: number) => (minute % 10 === 7 ? {} : { power: null })],
    220e12,
    6_500,
  ],
  ['one that misses every second answer', [(minute: number) => ({ isMissed: minute % 2 === 0 })], 110e12, 3_250],
  ['one of two that does not answer', [plain, () => ({ ...unknown, isSilent: true })], 110e12, 3_250],
  ['one that tells nothing', [() => unknown], null, null],
])('%s', async (_name, miners, hashrate_avg, power_avg) => {
  const store = await openStore(await temporaryDatabase());
  onTestFinished(() => store.close());
  const near = (value: number | null) => (value === null ? null : expect.closeTo(value, value > 1e9 ? -3 : 6));
  const expected = { hashrate_avg: near(hashrate_avg), power_avg: near(power_avg), coverage: 1 };
  for (const minutes of [1, 3, 10]) {
    const { cell, hour } = await reportHour(store, minutes, miners);
    expect(cell).toMatchObject(expected);
    expect(hour).toMatchObject(expected);
  }
});

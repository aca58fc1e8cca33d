// A row of miners whose power is cut, and comes back: what each of them and all of them together are said to have.
import { expect, test } from 'vitest';
import { drivers } from '../../../../drivers/index.ts';
import { anomalySettingsSchema } from '../../../../src/agent/fleet/anomaly/settings.ts';
import { Averages } from '../../../../src/agent/fleet/averages/averages.ts';
import { averagesMigrations } from '../../../../src/agent/fleet/averages/store.ts';
import { Fleet } from '../../../../src/agent/fleet/fleet.ts';
import { MinerRegistry } from '../../../../src/agent/fleet/identity/miner-registry.ts';
import { identityMigrations } from '../../../../src/agent/fleet/identity/storage/store.ts';
import { outageMigrations } from '../../../../src/agent/fleet/outages/outage-store.ts';
import { Outages } from '../../../../src/agent/fleet/outages/outages.ts';
import { storedStateSchema } from '../../../../src/agent/fleet/stored-state.ts';
import { clockMigrations } from '../../../../src/agent/state/lasting-clock.ts';
import { createMinerStateStore, minerStateMigrations } from '../../../../src/agent/state/miner-state-store.ts';
import { PeerError } from '../../../../src/base/errors.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { VisitMemory } from '../../../../src/driver/visit/memory.ts';
import type { Reading } from '../../../../src/model/reading.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { healthy } from './anomaly/fixture.ts';

const MINUTE_MS = 60_000;

function startRow(count: number) {
  const clock = createVirtualClock();
  const [driver] = drivers;
  if (driver === undefined) throw new Error('there is no driver');
  const db = openSqlite(':memory:', [
    ...[identityMigrations, averagesMigrations, minerStateMigrations, clockMigrations, outageMigrations],
  ]);
  let keys = 0;
  const events: string[] = [];
  const outages = new Outages(db, {
    ...{ clock, log: silentLog, agentIds: ['018f0000-0000-7000-8000-000000000001'], pollMs: () => MINUTE_MS },
    ...{ miners: () => fleet.all(), isOutOfOperation: () => false, emit: ({ type }) => void events.push(type) },
    pollSoon: () => {},
  });
  const fleet = new Fleet({
    ...{ clock, log: silentLog, mayReach: () => true, settings: anomalySettingsSchema.parse({}) },
    client: {
      targetOf: (ip) => ({ ip, driver, known: {}, memory: new VisitMemory() }),
      read: () => Promise.reject(new PeerError('peer.timeout', 'read', 'soon')),
      forgetRefusals() {},
    },
    registry: new MinerRegistry(db, {
      ...{ clock, newKey: () => `00000000-0000-7000-8000-${String(++keys).padStart(12, '0')}` },
    }),
    neighbours: { at: () => undefined },
    averages: new Averages(db, { clock }),
    states: createMinerStateStore(db, clock, storedStateSchema),
    ...{ isOutOfOperation: () => false, poolTrouble: () => undefined, ownActions: () => [], emit() {} },
    pointed: (key, flags) => outages.pointed(key, flags),
    schedule: { set() {}, drop() {} },
  });
  const { signal } = new AbortController();
  let failures = 0;
  const each = async (step: (i: number) => Promise<void>) => {
    for (let i = 0; i < count; i++) await step(i);
    for (let look = 0; look < 6; look++) {
      await clock.advance(MINUTE_MS / 6);
      outages.look();
    }
  };
  return {
    events,
    findings: () => outages.current().map(({ title }) => title),
    flags: () => [...fleet.all()].flatMap(({ reported }) => reported?.extras.flags ?? []),
    /** All answer for so many minutes, with an uptime of `ageS` and what goes on from there. */
    async answer(minutes: number, ageS: number) {
      failures = 0;
      for (let minute = 0; minute < minutes; minute++)
        await each((i) => {
          const ip = `10.0.3.${i + 1}`;
          const mac = `AA:00:00:00:01:${i.toString(16).padStart(2, '0')}`;
          const reading: Reading = {
            ...healthy(minute, ageS + minute * 60),
            mac,
            serialNumber: `SMTTA1BCDEF0001${i + 10}`,
          };
          const outcome = { reading, answered: [], failed: [], unparsable: [], isLoginRefused: false, elapsedMs: 1 };
          return fleet.recognised(
            ip,
            {
              ...{ status: 'identified', identity: { confidence: 'sure' }, evidence: { family: undefined }, outcome },
              target: { ip, driver, known: {}, memory: new VisitMemory() },
            },
            signal,
          );
        });
    },
    async silent(minutes: number) {
      for (let minute = 0; minute < minutes; minute++) {
        failures++;
        await each(async (i) => {
          const miner = [...fleet.all()].find(({ target }) => target.ip === `10.0.3.${i + 1}`);
          fleet.pollFailed(miner?.key ?? '', new PeerError('peer.timeout', 'read', 'soon'), failures);
        });
      }
    },
  };
}

test('twice within an hour: two findings and their ends, and none of the miners is called one that restarts by itself', async () => {
  const row = startRow(12);
  await row.answer(5, 90_000);
  for (let cut = 0; cut < 2; cut++) {
    await row.silent(4);
    expect(row.findings()).toEqual(['10.0.3.0/24: 12 miners do not answer']);
    expect(row.flags().map(({ type }) => type)).toEqual(Array(12).fill('network'));
    await row.answer(15, 40);
    expect(row.findings()).toEqual([]);
    expect(row.flags()).toEqual([]);
  }
  expect(row.events).toEqual(['finding_raised', 'finding_cleared', 'finding_raised', 'finding_cleared']);
});

test('a miner that restarts alone twice is one that restarts by itself', async () => {
  const row = startRow(1);
  await row.answer(5, 90_000);
  for (let cut = 0; cut < 2; cut++) {
    await row.silent(3);
    await row.answer(12, 40);
  }
  expect(row.flags()).toMatchObject([{ type: 'control_board' }]);
});

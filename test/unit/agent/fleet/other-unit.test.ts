// What the fleet makes of who answers: a unit that took the place of another is not held to that one's refused login,
// and a reading of this interval is known as such.
import { expect, test } from 'vitest';
import { drivers } from '../../../../drivers/index.ts';
import type { MinerTarget } from '../../../../src/agent/device/device-client.ts';
import { anomalySettingsSchema } from '../../../../src/agent/fleet/anomaly/settings.ts';
import { Averages } from '../../../../src/agent/fleet/averages/averages.ts';
import { averagesMigrations } from '../../../../src/agent/fleet/averages/store.ts';
import { Fleet } from '../../../../src/agent/fleet/fleet.ts';
import { MinerRegistry } from '../../../../src/agent/fleet/identity/miner-registry.ts';
import { identityMigrations } from '../../../../src/agent/fleet/identity/storage/store.ts';
import { storedStateSchema } from '../../../../src/agent/fleet/stored-state.ts';
import { createMinerStateStore, minerStateMigrations } from '../../../../src/agent/state/miner-state-store.ts';
import { PeerError } from '../../../../src/base/errors.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { VisitMemory } from '../../../../src/driver/visit/memory.ts';
import type { VisitOutcome } from '../../../../src/driver/visit/visit.ts';
import type { ReportRecord } from '../../../../src/wire/records.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const IP = '10.0.0.1';
const [MAC_A, MAC_B] = ['AA:00:00:00:00:01', 'AA:00:00:00:00:02'];

function setUp() {
  const clock = createVirtualClock();
  const db = openSqlite(':memory:', [identityMigrations, averagesMigrations, minerStateMigrations]);
  const emitted: ReportRecord[] = [];
  const forgotten: string[] = [];
  const neighbours = new Map<string, { mac: string; isShared: boolean }>();
  const scheduled = new Map<string, string>();
  let keys = 0;
  const target: MinerTarget = targetOf(IP);
  const fleet = new Fleet({
    clock,
    log: silentLog,
    client: {
      targetOf,
      read: () => Promise.reject(new PeerError('peer.timeout', 'read', 'soon')),
      forgetRefusals: (ip) => void forgotten.push(ip),
    },
    mayReach: () => true,
    registry: new MinerRegistry(db, { clock, newKey: () => `00000000-0000-7000-8000-00000000000${++keys}` }),
    neighbours: { at: (ip) => neighbours.get(ip) },
    averages: new Averages(db, { clock }),
    states: createMinerStateStore(db, clock, storedStateSchema),
    settings: anomalySettingsSchema.parse({}),
    isOutOfOperation: () => false,
    poolTrouble: () => undefined,
    ownActions: () => [],
    pointed: (_, flags) => flags,
    emit: (record) => void emitted.push(record),
    schedule: { set: (key, ip) => void scheduled.set(key, ip), drop: (key) => void scheduled.delete(key) },
  });
  const see = (outcome: Partial<VisitOutcome>, ip = IP) =>
    fleet.recognised(
      ip,
      {
        status: 'identified',
        target,
        identity: { confidence: 'sure' },
        evidence: { family: 'antminer-stock' },
        outcome: {
          reading: { hashrateHs: 1e14 },
          answered: [],
          failed: [],
          unparsable: [],
          isLoginRefused: false,
          elapsedMs: 1,
          ...outcome,
        },
      },
      new AbortController().signal,
    );
  return { clock, fleet, see, forgotten, emitted, neighbours, scheduled };
}

function targetOf(ip: string): MinerTarget {
  const driver = drivers.find(({ id }) => id === 'antminer-stock');
  if (driver === undefined) throw new Error('there is no such driver');
  return { ip, driver, known: {}, memory: new VisitMemory() };
}

const refused = (wasSent: boolean) => ({
  isLoginRefused: true,
  failed: [{ ask: 'system', error: new PeerError('peer.auth', 'ask', 'never', undefined, { wasSent }) }],
});

test('a unit that stands where another refused the login is given its own try', async () => {
  const { see, forgotten, neighbours } = setUp();
  neighbours.set(IP, { mac: MAC_A, isShared: false });
  await see(refused(true));
  await see(refused(false));
  expect(forgotten).toEqual([]);
  neighbours.set(IP, { mac: MAC_B, isShared: false });
  await see(refused(false));
  expect(forgotten).toEqual([IP]);
  await see(refused(false));
  expect(forgotten).toEqual([IP]);
});

test('one that has just refused it itself is not asked again', async () => {
  const { see, forgotten, neighbours } = setUp();
  neighbours.set(IP, { mac: MAC_A, isShared: false });
  await see({});
  neighbours.set(IP, { mac: MAC_B, isShared: false });
  await see(refused(true));
  expect(forgotten).toEqual([]);
});

test('the MAC that only the neighbour table knows is reported as the miner’s', async () => {
  const { see, emitted, neighbours } = setUp();
  neighbours.set(IP, { mac: MAC_A, isShared: false });
  await see({});
  expect(emitted.find(({ kind }) => kind === 'miner')).toMatchObject({ mac_state: 'ok', document: { mac: MAC_A } });
});

test('a device that shows what a silent miner showed is reported by no name until it is looked at again', async () => {
  const { clock, fleet, see, emitted, scheduled } = setUp();
  const facts = { mac: MAC_A, serialNumber: 'S1', hashrateHs: 1e14 };
  await see({ reading: facts });
  const miners = () => emitted.filter(({ kind }) => kind === 'miner').length;
  const before = miners();
  await see({ reading: { ...facts, hashrateHs: 1 } }, '10.0.0.9');
  expect(miners()).toBe(before);
  expect(fleet.size).toBe(1);
  const [waiting] = [...scheduled].flatMap(([key, ip]) => (ip === '10.0.0.9' ? key : []));
  expect(fleet.targetOf(waiting ?? '')?.ip).toBe('10.0.0.9');
  expect(fleet.get(waiting ?? '')).toBeUndefined();
  await clock.advance(60_000);
  const again = { reading: facts, answered: [], failed: [], unparsable: [], isLoginRefused: false, elapsedMs: 1 };
  await fleet.polled(waiting ?? '', again, new AbortController().signal);
  expect(miners()).toBe(before + 1);
  expect([...fleet.all()].map(({ target }) => target.ip)).toEqual(['10.0.0.9']);
  expect(scheduled.has(waiting ?? '')).toBe(false);
});

// Who stands at a miner's address, as far as something shows it without another packet: what it says, its MAC in this
// host's neighbour table, its last poll. A real miner registry; no socket.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { drivers } from '../../../../../drivers/index.ts';
import type { MinerTarget } from '../../../../../src/agent/device/device-client.ts';
import { MinerRegistry } from '../../../../../src/agent/fleet/identity/miner-registry.ts';
import { identityMigrations } from '../../../../../src/agent/fleet/identity/storage/store.ts';
import type { MinerState } from '../../../../../src/agent/fleet/miner-state.ts';
import { createObservations } from '../../../../../src/agent/tasks/execution/observations.ts';
import { openSqlite } from '../../../../../src/base/storage/sqlite.ts';
import { VisitMemory } from '../../../../../src/driver/visit/memory.ts';
import type { Reading } from '../../../../../src/model/reading.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';

const [IP, ELSEWHERE] = ['10.0.0.1', '10.0.0.2'];
const [OWN, OTHER, NEW] = ['AA:00:00:00:00:01', 'AA:00:00:00:00:02', 'AA:00:00:00:00:03'];
const POLL_MS = 30_000;

let farm: ReturnType<typeof setUp>;
beforeEach(() => {
  farm = setUp();
});
afterEach(() => farm.db.close());

function setUp() {
  const clock = createVirtualClock();
  const db = openSqlite(':memory:', [identityMigrations]);
  let keys = 0;
  const registry = new MinerRegistry(db, { clock, newKey: () => `00000000-0000-7000-8000-00000000000${++keys}` });
  const neighbours = new Map<string, { mac: string; isShared: boolean }>();
  const polled = new Map<string, Pick<MinerState, 'answered' | 'reading'>>();
  const [driver] = drivers;
  if (driver === undefined) throw new Error('no driver');
  const target: MinerTarget = { ip: IP, driver, known: {}, memory: new VisitMemory() };
  const notHere = () => Promise.reject(new Error('nothing is sent'));
  const looks = createObservations({
    clock,
    client: { read: notHere, readFresh: notHere, targetOf: () => target },
    fleet: {
      get(key) {
        const state = polled.get(key);
        const rest = {
          judgement: undefined,
          judgedMs: undefined,
          reported: undefined,
          readAt: undefined,
          awaitedMs: undefined,
          fullDrawW: undefined,
        };
        return state && { key, target, isRebooting: false, ...rest, ...state };
      },
      recognised: notHere,
    },
    registry,
    neighbours: { at: (ip) => neighbours.get(ip) },
    targetOf: () => target,
    pollMs: () => POLL_MS,
    signal: new AbortController().signal,
    onError() {},
  });
  return {
    db,
    clock,
    neighbours,
    identifyTarget: looks.identifyTarget,
    know(ip: string, shown: Pick<Reading, 'mac' | 'serialNumber'>): string {
      const sighting = { ip, driverId: driver.id, at: clock.nowMs(), ...shown, neighbour: neighbours.get(ip) };
      const observed = registry.observe(sighting);
      if (observed.kind !== 'resolved') throw new Error('it is not settled who that is');
      return observed.key;
    },
    answered: (key: string, reading: Reading, isLoginRefused = false) =>
      polled.set(key, { reading, answered: { atMs: clock.monotonicMs(), isLoginRefused } }),
  };
}

test('who says one of its own facts is itself, who says nothing of them is unknown', () => {
  const key = farm.know(IP, { mac: OWN, serialNumber: 'S1' });
  expect(farm.identifyTarget(key, { mac: OWN })).toBe('itself');
  expect(farm.identifyTarget(key, { serialNumber: 's1' })).toBe('itself');
  expect(farm.identifyTarget(key, { hashrateHs: 1 })).toBe('unknown');
  expect(farm.identifyTarget(key)).toBe('unknown');
});

test('a silent one is known by its MAC in the neighbour table, as itself and as another', () => {
  const key = farm.know(IP, { mac: OWN });
  farm.know(ELSEWHERE, { mac: OTHER });
  const shows = (mac: string, isShared = false) => {
    farm.neighbours.set(IP, { mac, isShared });
    return farm.identifyTarget(key);
  };
  expect(shows(OWN)).toBe('itself');
  expect(shows(OTHER)).toBe('another');
  // A MAC that stands for several addresses names nobody.
  expect(shows(OWN, true)).toBe('unknown');
  expect(shows(OTHER, true)).toBe('unknown');
  // Of nobody we know: it may be that of a bridge before a miner that says another one of itself.
  expect(shows(NEW)).toBe('unknown');
});

test('a MAC that nobody but the table ever said is contradicted by another one in it', () => {
  farm.neighbours.set(IP, { mac: OWN, isShared: false });
  const key = farm.know(IP, {});
  expect(farm.identifyTarget(key, { hashrateHs: 1 })).toBe('itself');
  expect(farm.identifyTarget(key)).toBe('itself');
  farm.neighbours.set(IP, { mac: NEW, isShared: false });
  expect(farm.identifyTarget(key)).toBe('another');
  farm.neighbours.clear();
  expect(farm.identifyTarget(key)).toBe('unknown');
});

test('one whose last poll was answered by itself within the interval is itself, and not later', async () => {
  const key = farm.know(IP, { mac: OWN });
  farm.answered(key, { mac: OWN });
  await farm.clock.advance(POLL_MS);
  expect(farm.identifyTarget(key)).toBe('itself');
  await farm.clock.advance(1);
  expect(farm.identifyTarget(key)).toBe('unknown');
});

test('a poll that did not show who it was, or was refused, proves nothing', () => {
  const key = farm.know(IP, { mac: OWN });
  farm.answered(key, { hashrateHs: 1 });
  expect(farm.identifyTarget(key)).toBe('unknown');
  farm.answered(key, { mac: OWN }, true);
  expect(farm.identifyTarget(key)).toBe('unknown');
});

test('a miner that never said a MAC or a serial number is taken for itself as long as it answers', async () => {
  const key = farm.know(IP, {});
  expect(farm.identifyTarget(key, { hashrateHs: 1 })).toBe('itself');
  expect(farm.identifyTarget(key)).toBe('unknown');
  farm.answered(key, { hashrateHs: 1 });
  expect(farm.identifyTarget(key)).toBe('itself');
  await farm.clock.advance(POLL_MS + 1);
  expect(farm.identifyTarget(key)).toBe('unknown');
});

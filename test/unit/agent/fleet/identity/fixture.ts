// A registry on a real database, with a clock that the test turns and keys that count up.
import type { DatabaseSync } from 'node:sqlite';
import { type IdentityOptions, MinerRegistry } from '../../../../../src/agent/fleet/identity/miner-registry.ts';
import type { Shown, Sighting } from '../../../../../src/agent/fleet/identity/record.ts';
import { identityMigrations } from '../../../../../src/agent/fleet/identity/storage/store.ts';
import { openSqlite } from '../../../../../src/base/storage/sqlite.ts';
import type { EventRecord } from '../../../../../src/wire/records.ts';

export const START_MS = Date.UTC(2026, 0, 5, 8);
export const MAC = {
  a: 'AA:00:00:00:00:01',
  b: 'AA:00:00:00:00:02',
  c: 'AA:00:00:00:00:03',
} as const;

type Seen = { key: string; events: string[]; records: readonly EventRecord[]; left: readonly string[]; kind: string };

/** How often each miner is polled. */
export const POLL_MS = 60_000;

export type Bench = {
  readonly db: DatabaseSync;
  readonly clock: { now: number; nowMs(): number; monotonicMs(): number };
  registry: MinerRegistry;
  /** Opens a new registry on the same database. */
  restart(): void;
  /**
   * Observes and answers check-old with what stands at that address in `world`. `key` is `''` while it is not settled.
   */
  see(ip: string, shown: Shown, more?: Partial<Sighting>): Seen;
  /** The same once per poll interval until it is settled. */
  settle(ip: string, shown: Shown): Seen;
  /** Of the miner there, if a task restarts it. */
  isExpectedBack: boolean;
  /** What answers where, for check-old. */
  readonly world: Map<string, Shown>;
};

export function createBench(options: Partial<IdentityOptions> = {}): Bench {
  const db = openSqlite(':memory:', [identityMigrations]);
  return benchOn(db, options);
}

export function benchOn(db: DatabaseSync, options: Partial<IdentityOptions> = {}): Bench {
  let keys = 0;
  const clock = {
    now: START_MS,
    nowMs: () => clock.now,
    monotonicMs: () => clock.now,
  };
  const open = () => new MinerRegistry(db, { clock, newKey: () => `key-${++keys}`, ...options });
  const world: Bench['world'] = new Map();
  const bench: Bench = {
    db,
    clock,
    registry: open(),
    world,
    isExpectedBack: false,
    restart() {
      bench.registry = open();
    },
    see(ip, shown, more) {
      world.set(ip, shown);
      const sighting = { ip, driverId: 'antminer-stock', at: clock.now, ...shown, ...more };
      let observed = bench.registry.observe(sighting);
      if (observed.kind === 'check-old') {
        const answer = world.get(observed.oldIp);
        const old = answer === undefined ? 'silent' : bench.registry.checkOldAddress(observed.key, answer);
        observed = bench.registry.observe(sighting, { old, isExpectedBack: bench.isExpectedBack });
      }
      const { kind } = observed;
      if (kind === 'check-old') throw new Error('the registry asked twice');
      if (kind !== 'resolved') return { kind, key: '', events: [], records: [], left: [] };
      const { key, events, left } = observed;
      return { kind, key, events: events.map((event) => event.type), records: events, left };
    },
    settle(ip, shown) {
      let seen = bench.see(ip, shown);
      for (let looks = 1; seen.kind === 'waiting' && looks < 5; looks++) {
        clock.now += POLL_MS;
        seen = bench.see(ip, shown);
      }
      return seen;
    },
  };
  return bench;
}

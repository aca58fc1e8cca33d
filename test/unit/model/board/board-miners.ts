// Rows of boards for tests: one that is well, and any by chance.
import fc from 'fast-check';
import { ANOMALY_TYPES } from '../../../../src/model/flags/anomaly-types.ts';
import { OPS_STATUSES } from '../../../../src/model/miner.ts';
import type { SelectableMiner } from '../../../../src/model/selector/selector.ts';

export const NOW_MS = Date.UTC(2026, 5, 1);

export function boardMiner(n: number, with_: Partial<SelectableMiner> = {}): SelectableMiner {
  return {
    ...{ id: `0197a000-0000-7000-8000-${String(n).padStart(12, '0')}`, key: null, agentId: null, ip: `10.0.0.${n}` },
    ...{ mac: null, serial: null, hostname: null, make: 'Bitmain', model: 'Antminer S19j Pro', algorithm: 'sha256' },
    ...{ container: null, rack: null, position: null, driver: 'antminer-stock', firmware: '2024', abilities: [] },
    ...{ opsStatus: null, mode: 'normal', isMining: true, isOnline: true, isUnknown: false, isHung: false, flags: 0 },
    ...{ firstFlag: null, hashrateHs: 1e14, expectedHs: 1e14, powerW: 3_000, tempC: 60, fanRpm: 5_000, pool: null },
    ...{ worker: null, uptimeS: 60, seenAtMs: NOW_MS, createdAtMs: NOW_MS - 30 * 86_400_000 },
    ...{ serials: [], pools: [], workers: [] },
    ...with_,
  };
}

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const text = fc.oneof(fc.constantFrom('a', 'b', '=c', '.7', ''), fc.string());
const mac = fc.oneof(fc.constantFrom('02:AA:00:00:00:01', '02:AA:00:00:00:02', 'no MAC'), text);
const whole = fc.integer({ min: 0, max: 1e9 });
const atMs = fc.integer({ min: NOW_MS - 1e10, max: NOW_MS + 1e6 });

/** Everything but the id, in any mix; few names, so that several miners have the same. */
export const anyMiner = (id: string): fc.Arbitrary<SelectableMiner> =>
  fc.record({
    id: fc.constant(id),
    ...{ key: maybe(fc.oneof(fc.uuid(), text)), agentId: maybe(text), ip: fc.ipV4(), mac: maybe(mac) },
    ...{ serial: maybe(text), hostname: maybe(text), make: maybe(text), model: maybe(text), algorithm: maybe(text) },
    ...{ container: maybe(text), rack: maybe(text), position: maybe(whole), driver: text, firmware: maybe(text) },
    abilities: fc.array(text, { maxLength: 2 }),
    opsStatus: maybe(fc.constantFrom(...OPS_STATUSES)),
    mode: maybe(fc.constantFrom('sleep', 'normal')),
    ...{ isMining: fc.boolean(), isOnline: fc.boolean(), isUnknown: fc.boolean(), isHung: fc.boolean() },
    flags: fc.integer({ min: 0, max: 1_023 }),
    firstFlag: maybe(
      fc.record({
        type: fc.constantFrom(...ANOMALY_TYPES),
        severity: fc.constantFrom('info', 'minor', 'major', 'critical'),
        message: text,
        sinceMs: atMs,
      }),
    ),
    ...{ hashrateHs: maybe(fc.double({ min: 0, max: 1e18, noNaN: true })), expectedHs: maybe(whole) },
    ...{ powerW: maybe(whole), tempC: maybe(fc.integer({ min: -500, max: 2_000 }).map((tenths) => tenths / 10)) },
    ...{ fanRpm: maybe(whole), pool: maybe(text), worker: maybe(text), uptimeS: maybe(whole) },
    ...{ seenAtMs: maybe(atMs), createdAtMs: maybe(atMs) },
    serials: fc.array(fc.constantFrom('SN1', 'SN2'), { maxLength: 1 }),
    ...{ pools: fc.constant([]), workers: fc.constant([]) },
  });

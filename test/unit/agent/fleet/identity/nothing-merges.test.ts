// Blank, invalid and filler values identify no unit: in no order of sightings do they merge two miners.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBench } from './fixture.ts';

const worthlessMac = fc.constantFrom(
  undefined,
  '',
  '  ',
  '00:00:00:00:00:00',
  'ff:ff:ff:ff:ff:ff',
  '01:00:5e:00:00:01',
  'n/a',
  'AA:BB',
);
const worthlessSerial = fc.constantFrom(
  undefined,
  '',
  '0',
  '0000000000',
  'N/A',
  '-',
  'null',
  'unknown',
  'to be filled by O.E.M.',
  'a\u0000b',
);

test('miners at different addresses with worthless facts stay different miners', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ host: fc.integer({ min: 1, max: 12 }), mac: worthlessMac, serialNumber: worthlessSerial }), {
        minLength: 2,
        maxLength: 40,
      }),
      (sightings) => {
        const bench = createBench();
        const keyOf = new Map<string, string>();
        for (const { host, mac, serialNumber } of sightings) {
          const ip = `10.0.0.${host}`;
          const { key, events } = bench.see(ip, { mac, serialNumber });
          expect(events).toEqual(keyOf.has(ip) ? [] : ['appeared']);
          expect(key).toBe(keyOf.get(ip) ?? key);
          keyOf.set(ip, key);
          expect(bench.registry.states(key)?.mac).not.toBe('duplicate');
          expect(bench.registry.states(key)?.serial).not.toBe('duplicate');
        }
        expect(new Set(keyOf.values()).size).toBe(keyOf.size);
        bench.db.close();
      },
    ),
    { numRuns: 150 },
  );
});

test('no two miners ever stand at one address, and no two rows of one miner exist, whatever is seen', () => {
  const mac = fc.constantFrom(
    undefined,
    'AA:00:00:00:00:01',
    'AA:00:00:00:00:02',
    'AA:00:00:00:00:03',
    '00:00:00:00:00:00',
  );
  const serialNumber = fc.constantFrom(undefined, 'S1', 'S2', 'S3', 'N/A');
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          host: fc.integer({ min: 1, max: 5 }),
          mac,
          serialNumber,
          old: fc.constantFrom('itself' as const, 'another' as const, 'silent' as const),
          passMs: fc.integer({ min: 0, max: 1_200_000 }),
        }),
        { maxLength: 60 },
      ),
      (sightings) => {
        const bench = createBench();
        for (const { host, old, passMs, ...shown } of sightings) {
          bench.clock.now += passMs;
          const sighting = { ip: `10.0.0.${host}`, driverId: 'x', at: bench.clock.now, ...shown };
          const first = bench.registry.observe(sighting);
          const check = { old, isExpectedBack: false };
          const settled = first.kind === 'check-old' ? bench.registry.observe(sighting, check) : first;
          expect(settled.kind).not.toBe('check-old');
          if (settled.kind === 'resolved') expect(bench.registry.byIp(sighting.ip)?.key).toBe(settled.key);
        }
        const ips = bench.registry.all().flatMap((entry) => entry.ip ?? []);
        expect(new Set(ips).size).toBe(ips.length);
        const before = bench.registry.all();
        bench.registry.flush();
        bench.restart();
        expect(new Map(bench.registry.all().map((entry) => [entry.key, entry]))).toEqual(
          new Map(before.map((entry) => [entry.key, entry])),
        );
        bench.db.close();
      },
    ),
    { numRuns: 150 },
  );
});

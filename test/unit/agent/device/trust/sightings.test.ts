// What a device showed, driven directly: when it still holds, what the network changes of it, what is read from an
// earlier process, and how many are kept.
import { expect, test } from 'vitest';
import { type NeighbourAt, Sightings } from '../../../../../src/agent/device/trust/sightings.ts';
import type { MetDevice, StoredPin } from '../../../../../src/agent/device/trust/trust-record.ts';

const IP = '10.0.0.5';
const [MAC, OTHER] = ['02:00:00:00:00:01', '02:00:00:00:00:02'];
const FACTS = { family: 'vnish', confidence: 'sure' } as const;
const seen = (more: object = {}) => ({ facts: FACTS, driverId: 'vnish', isStale: false, askedMs: 7, ...more });

const met = (ip: string, networkMac: string | null): MetDevice => ({
  ...{ ip, networkMac, family: 'antminer-stock', driver: 'vnish', confidence: 'sure', model: null, realm: 'r' },
  ...{ mac: null, serialNumber: 'S1', tlsKey: null, why: null, isCovered: false, sinceMs: 0, seenAtMs: 0 },
});
const pin = (name: string, ip: string): StoredPin => ({
  ...{ name, ip, family: 'vnish', model: null, realm: null, networkMac: null, mac: null, serialNumber: null },
  ...{ tlsKey: null, isVouchedFor: false, acceptedAtMs: 0 },
});

function sightings(stored?: MetDevice) {
  const network = new Map<string, NonNullable<ReturnType<NeighbourAt>>>();
  let reads = 0;
  const device = (ip: string) => {
    reads++;
    return stored?.ip === ip ? stored : undefined;
  };
  return {
    all: new Sightings({ device }, (ip) => network.get(ip)),
    shows: (mac: string, isShared = false) => network.set(IP, { mac, isShared }),
    hides: () => network.delete(IP),
    reads: () => reads,
  };
}

test('a MAC that several addresses have identifies none of them', () => {
  const { all, shows } = sightings();
  expect(all.networkMacAt(IP)).toBeUndefined();
  shows(MAC);
  expect(all.networkMacAt(IP)).toBe(MAC);
  shows(MAC, true);
  expect(all.networkMacAt(IP)).toBeUndefined();
});

test('the first MAC may come after the answers; from then on another one, or none, is another unit', () => {
  const { all, shows, hides } = sightings();
  all.set(IP, seen());
  expect(all.current(IP)?.facts.networkMac).toBeUndefined();
  shows(MAC);
  expect(all.current(IP)?.facts.networkMac).toBe(MAC);
  shows(OTHER);
  expect(all.current(IP)).toBeUndefined();
  expect(all.factsNow(IP)).toEqual({ ...FACTS, networkMac: OTHER });
  hides();
  expect(all.current(IP)).toBeUndefined();
  shows(MAC);
  expect(all.current(IP)?.driverId).toBe('vnish');
});

test('a stale sighting is known and does not count, until the device was asked again', () => {
  const { all } = sightings();
  all.set(IP, seen({ isStale: true }));
  expect(all.get(IP)?.isStale).toBe(true);
  expect(all.current(IP)).toBeUndefined();
  all.set(IP, seen());
  expect(all.current(IP)).toMatchObject({ isSilent: false, askedMs: 7 });
});

test.each([
  ['the same MAC', MAC, MAC, false],
  ['another MAC', MAC, OTHER, true],
  ['no MAC now', MAC, undefined, true],
  ['no MAC before', null, MAC, true],
] as const)('of an earlier process: %s in the network', (_, before, now, isStale) => {
  const { all, shows, reads } = sightings(met(IP, before));
  if (now !== undefined) shows(now);
  expect(all.get(IP)).toMatchObject({ driverId: 'vnish', isStale, askedMs: Number.NEGATIVE_INFINITY });
  expect(all.get(IP)?.facts).toMatchObject({ family: 'antminer-stock', realm: 'r', serialNumber: 'S1' });
  expect(reads(), 'the record is read once').toBe(1);
  expect(all.get('10.0.0.6')).toBeUndefined();
});

test('who answers at the old address of an accepted device', () => {
  const { all, shows } = sightings(met(IP, MAC));
  shows(MAC);
  const itself = pin(`mac:${MAC}`, IP);
  expect(all.atOldAddress(itself), 'what an earlier process asked does not count').toBe('unknown');
  all.set(IP, seen());
  expect(all.atOldAddress(itself)).toBe('itself');
  expect(all.atOldAddress(pin(`mac:${OTHER}`, IP))).toBe('another');
  all.set(IP, seen({ isStale: true }));
  expect(all.atOldAddress(itself)).toBe('unknown');
  const sighting = all.get(IP);
  if (sighting !== undefined) sighting.isSilent = true;
  expect(all.atOldAddress(itself)).toBe('silent');
});

test('50,000 addresses are kept, the ones that were used last', () => {
  const { all } = sightings();
  all.set(IP, seen());
  for (let i = 1; i < 50_000; i++) all.set(`of ${i}`, seen());
  expect(all.get(IP)).toBeDefined();
  all.set('one more', seen());
  expect(all.get('of 1')).toBeUndefined();
  expect([all.get(IP), all.get('of 2'), all.get('one more')]).not.toContain(undefined);
});

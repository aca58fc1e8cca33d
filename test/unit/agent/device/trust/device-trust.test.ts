// What a device is remembered by: only what can name one device.
import { expect, test } from 'vitest';
import { DeviceTrust } from '../../../../../src/agent/device/trust/device-trust.ts';
import { openTrustRecord } from '../../../../../src/agent/device/trust/trust-record.ts';
import { waitingDevices } from '../../../../../src/agent/device/trust/waiting.ts';
import { readRanges } from '../../../../../src/base/net/ranges.ts';
import type { Identity } from '../../../../../src/driver/contract.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';

const [ACCEPTED, OTHER] = ['10.0.0.5', '10.0.0.6'];

/** Behind a router: the network says no MAC, and the devices' own words are all there is. */
function trustOf(record = openTrustRecord(':memory:', createVirtualClock())) {
  const clock = createVirtualClock();
  const trust = new DeviceTrust({
    ...{ clock, record, neighbourAt: () => undefined, mayLogIn: () => true, coveredBy: () => 'family' },
    settings: { ranges: readRanges(['10.0.0.0/24'], []), credentials: { trust: 'pinned' } },
  });
  const saw = (ip: string, names: Pick<Identity, 'mac' | 'serialNumber'>) =>
    trust.saw(ip, {
      identity: { confidence: 'sure', make: 'Bitmain', ...names },
      evidence: { family: 'antminer-stock' },
      ...{ family: 'antminer-stock', driverId: 'antminer-stock', lookAlikes: [], isReadByWeb: true },
    });
  return {
    record,
    clock,
    saw,
    lost: (ip: string) => trust.lost(ip),
    why: (ip: string) => trust.why(ip, 'antminer-stock', 'configured'),
  };
}

test.each([
  ['a MAC of zeros', { mac: '00:00:00:00:00:00' }],
  ['a MAC of ones', { mac: 'FF:FF:FF:FF:FF:FF' }],
  ['a serial number that is a filler', { serialNumber: 'unknown' }],
  ['both', { mac: '00:00:00:00:00:00', serialNumber: '0000000' }],
])('who was accepted with %s gets the login, and no other that shows the same', (_, names) => {
  const { record, clock, saw, why } = trustOf();
  saw(ACCEPTED, names);
  expect(why(ACCEPTED)).toBe('new');
  record.accept(waitingDevices(record, clock.nowMs()));
  saw(ACCEPTED, names);
  saw(OTHER, names);
  expect(why(ACCEPTED)).toBeUndefined();
  expect(why(OTHER)).toBe('new');
});

const MAC = { mac: '02:00:00:00:00:01' };
const BOTH = { ...MAC, serialNumber: 'SN17000123' };

test.each([
  ['is there still', BOTH, 'itself', 'contested'],
  ['was not asked by this process', BOTH, 'unknown', 'moved'],
  ['is silent, and its MAC is all there is', MAC, 'silent', 'moved'],
  ['is silent, and MAC and serial number agree', BOTH, 'silent', undefined],
  ['answers as another one', MAC, 'another', undefined],
] as const)(
  'behind a router: a device that shows the name of one that was accepted elsewhere, which %s',
  (_, names, old, expected) => {
    const first = trustOf();
    const { record, clock } = first;
    first.saw(ACCEPTED, names);
    record.accept(waitingDevices(record, clock.nowMs()));
    const { saw, lost, why } = old === 'unknown' ? trustOf(record) : first;
    if (old === 'silent') lost(ACCEPTED);
    if (old === 'another') saw(ACCEPTED, { mac: '02:00:00:00:00:77' });
    saw(OTHER, names);
    expect(why(OTHER)).toBe(expected);
    // Who is known there once is so after a restart, and the address that it left is another one's.
    if (expected !== undefined) return;
    const later = trustOf(record);
    later.saw(OTHER, names);
    expect(later.why(OTHER)).toBeUndefined();
    later.saw(ACCEPTED, names);
    expect(later.why(ACCEPTED)).toBe('contested');
  },
);

test('what a device has shown is not good for another MAC at its address; its own first MAC may come later', () => {
  const clock = createVirtualClock();
  let mac: string | undefined;
  const trust = new DeviceTrust({
    ...{ clock, record: openTrustRecord(':memory:', clock), mayLogIn: () => true, coveredBy: () => 'family' },
    neighbourAt: () => (mac === undefined ? undefined : { mac, isShared: false }),
    settings: { ranges: readRanges(['10.0.0.0/24'], []), credentials: { trust: 'network' } },
  });
  const seen = {
    evidence: { family: 'antminer-stock' },
    family: 'antminer-stock',
    driverId: 'antminer-stock',
  } as const;
  trust.saw(ACCEPTED, { ...seen, identity: { confidence: 'sure' }, lookAlikes: [], isReadByWeb: true });
  const now = () => [
    trust.mustAskAgain(ACCEPTED, 'antminer-stock'),
    trust.isSure(ACCEPTED, 'antminer-stock'),
    trust.why(ACCEPTED, 'antminer-stock', 'configured'),
  ];
  expect(now()).toEqual([false, true, undefined]);
  mac = '02:00:00:00:00:01';
  expect(now()).toEqual([false, true, undefined]);
  mac = undefined;
  expect(now()).toEqual([true, false, undefined]);
  mac = '02:00:00:00:00:02';
  expect(now()).toEqual([true, false, 'changed']);
});

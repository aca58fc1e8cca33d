// What a device is remembered by: only what can name one device.
import { expect, test } from 'vitest';
import { createDeviceTrust } from '../../../../src/agent/device/device-trust.ts';
import { openTrustRecord } from '../../../../src/agent/device/trust-record.ts';
import { waitingDevices } from '../../../../src/agent/device/waiting.ts';
import { readRanges } from '../../../../src/base/net/ranges.ts';
import type { Identity } from '../../../../src/driver/contract.ts';
import { createVirtualClock } from '../../../virtual-clock.ts';

const [ACCEPTED, OTHER] = ['10.0.0.5', '10.0.0.6'];

/** Behind a router: the network says no MAC, and the devices' own words are all there is. */
function trustOf() {
  const clock = createVirtualClock();
  const record = openTrustRecord(':memory:', clock);
  const trust = createDeviceTrust({
    ...{ clock, record, neighbourAt: () => undefined, mayLogIn: () => true, coveredBy: () => 'family' },
    settings: { ranges: readRanges(['10.0.0.0/24'], []), credentials: { trust: 'pinned' } },
  });
  const saw = (ip: string, names: Pick<Identity, 'mac' | 'serialNumber'>) =>
    trust.saw(ip, {
      identity: { confidence: 'sure', make: 'Bitmain', ...names },
      evidence: { family: 'antminer-stock' },
      ...{ family: 'antminer-stock', driverId: 'antminer-stock', lookAlikes: [] },
    });
  return { record, clock, saw, why: (ip: string) => trust.why(ip, 'antminer-stock', 'configured') };
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

test('who was accepted with a MAC of its own is known at another address', () => {
  const { record, clock, saw, why } = trustOf();
  saw(ACCEPTED, { mac: '02:00:00:00:00:01' });
  record.accept(waitingDevices(record, clock.nowMs()));
  saw(OTHER, { mac: '02:00:00:00:00:01' });
  expect(why(OTHER)).toBeUndefined();
});

// Which miners a request names, driven directly: those that are known, and those that a look at an address finds. A
// look goes only where the agent may go, and to a few addresses at a time.
import { expect, test } from 'vitest';
import { drivers } from '../../../../../drivers/index.ts';
import { createAgentBoard } from '../../../../../src/agent/control/handlers/board.ts';
import { NamedMiners } from '../../../../../src/agent/control/handlers/named-miners.ts';
import type { Recognised } from '../../../../../src/agent/device/recognised.ts';
import { type MinerState, newMinerState } from '../../../../../src/agent/fleet/miner-state.ts';
import { systemClock } from '../../../../../src/base/clock.ts';
import { PeerError } from '../../../../../src/base/errors.ts';
import { VisitMemory } from '../../../../../src/driver/visit/memory.ts';
import { entryOf } from './entry.ts';

const [driver] = drivers;
if (driver === undefined) throw new Error('no driver');
const evidence = { family: undefined };
const { signal } = new AbortController();
const targetAt = (ip: string) => ({ ip, driver, known: {}, memory: new VisitMemory() });
const MAC = '02:00:00:00:00:01';

/** `at` = what a look finds; where it has nothing, the device does not answer. */
function setUp(at: Readonly<Record<string, Recognised['status']>> = {}) {
  const miners = new Map<string, MinerState>();
  const looked: string[] = [];
  let [atOnce, mostAtOnce] = [0, 0];
  const add = (key: string, ip: string) => miners.set(key, newMinerState(key, targetAt(ip), undefined));
  const found = (ip: string, status: Recognised['status']): Recognised => {
    const identity = { make: 'Bitmain', confidence: 'sure' } as const;
    return status === 'unknown' ? { status, evidence } : { status, target: targetAt(ip), identity, evidence };
  };
  const named = new NamedMiners({
    clock: systemClock,
    miners: createAgentBoard({
      clock: systemClock,
      fleet: { all: () => miners.values() },
      registry: { get: (key) => (key === 'k1' ? entryOf({ key, mac: MAC, serialNumber: 'SN1' }) : undefined) },
    }).miners,
    client: {
      async recognise(ip) {
        looked.push(ip);
        mostAtOnce = Math.max(mostAtOnce, ++atOnce);
        await systemClock.sleep(1);
        atOnce--;
        const status = at[ip];
        if (status === undefined) throw new PeerError('peer.timeout', `ask ${ip}`, 'soon');
        return found(ip, status);
      },
    },
    scanning: {
      takeIn(ip, { status }) {
        if (status === 'identified') add(`key of ${ip}`, ip);
        return Promise.resolve();
      },
    },
    mayReach: (ip) => ip.startsWith('10.'),
  });
  add('k1', '10.0.0.1');
  add('k2', '10.0.0.2');
  return { named, looked, most: () => mostAtOnce };
}
const keysOf = ({ miners }: { miners: readonly { key: string }[] }) => miners.map(({ key }) => key);

test('known miners by address, range, MAC, serial number and key; one that the registry has not is there too', () => {
  const { named } = setUp();
  for (const name of ['10.0.0.1', MAC, 'SN1', 'k1']) expect(keysOf(named.known([name])), name).toEqual(['k1']);
  expect(keysOf(named.known(['10.0.0.0/24']))).toEqual(['k1', 'k2']);
  expect(named.known(['k2']).miners).toEqual([{ key: 'k2', ip: '10.0.0.2' }]);
  expect(keysOf(named.known([`driver:${driver?.id}`, 'not', 'SN1']))).toEqual(['k2']);
});

test('a look goes to single unknown addresses that the agent may reach, and to nothing else', async () => {
  const { named, looked } = setUp({ '10.0.0.3': 'identified' });
  const { miners, unknown } = await named.find(['10.0.0.1', '10.0.0.3', '192.168.0.9', '10.1.0.0/24', 'SN9'], signal);
  expect(looked).toEqual(['10.0.0.3']);
  expect(keysOf({ miners })).toEqual(['k1', 'key of 10.0.0.3']);
  expect(unknown.map(({ name }) => name)).toEqual(['192.168.0.9', '10.1.0.0/24', 'SN9']);
  expect(new Set(unknown.map(({ reason }) => reason))).toEqual(
    new Set([
      'no known miner has this address',
      'no known miner is in this range',
      'no known miner has this MAC, serial number, worker or host name',
    ]),
  );
});

test('where all are known nothing is asked', async () => {
  const { named, looked } = setUp();
  expect(keysOf(await named.find(['10.0.0.2', 'k1'], signal))).toEqual(['k2', 'k1']);
  expect(looked).toEqual([]);
});

test('a device that gives no proof is named with what a person can do', async () => {
  const { named } = setUp({ '10.0.0.3': 'likely', '10.0.0.4': 'unknown' });
  const { unknown } = await named.find([' 10.0.0.3', '10.0.0.4'], signal);
  expect(unknown[0]).toMatchObject({ name: '10.0.0.3', reason: expect.stringContaining('pithead trust accept') });
  expect(unknown[1]?.reason).toBe('no known miner has this address');
});

test('a device that does not answer ends the request with what it was', async () => {
  await expect(setUp().named.find(['10.0.0.3'], signal)).rejects.toMatchObject({ code: 'peer.timeout' });
});

test('32 addresses are looked at at a time', async () => {
  const ips = Array.from({ length: 100 }, (_, i) => `10.0.1.${i}`);
  const { named, looked, most } = setUp(Object.fromEntries(ips.map((ip) => [ip, 'unknown'])));
  await named.meet(ips, signal);
  expect([looked.length, most()]).toEqual([100, 32]);
});

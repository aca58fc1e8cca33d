// Which MACs the neighbour table may lend to miners: those of direct neighbours that answered, each with a word on who
// else shows it.
import { expect, test } from 'vitest';
import { createNeighbours } from '../../../../src/agent/host/neighbours.ts';

const HEAD = 'IP address       HW type     Flags       HW address            Mask     Device';
const eth0 = { interface: 'eth0', address: '10.0.0.7', first: 0x0a000000, last: 0x0a0000ff };

function setUp(lines: readonly string[], networks = [eth0]) {
  const clock = { now: 0, reads: 0, lines, monotonicMs: () => clock.now };
  const table = () => {
    clock.reads++;
    return `${[HEAD, ...clock.lines].join('\n')}\n`;
  };
  return { clock, at: createNeighbours(clock, { table, networks: () => networks }).at };
}

const line = (ip: string, mac: string, { flags = '0x2', type = '0x1', device = 'eth0' } = {}) =>
  `${ip.padEnd(16)} ${type}         ${flags}         ${mac}     *        ${device}`;

test('a neighbour that answered is known by its MAC, in the usual form', () => {
  const { at } = setUp([line('10.0.0.20', 'e0:a5:09:00:00:14')]);
  expect(at('10.0.0.20')).toEqual({ mac: 'E0:A5:09:00:00:14', isShared: false });
  expect(at('10.0.0.21')).toBeUndefined();
});

test.each([
  ['asked and did not answer', line('10.0.0.20', '00:00:00:00:00:00', { flags: '0x0' })],
  ['has no MAC that can be one', line('10.0.0.20', '00:00:00:00:00:00')],
  ['shows a multicast MAC', line('10.0.0.20', '01:00:5e:00:00:01')],
  ['is no Ethernet', line('10.0.0.20', 'e0:a5:09:00:00:14', { type: '0x20' })],
  ['stands on another interface', line('10.0.0.20', 'e0:a5:09:00:00:14', { device: 'tun0' })],
  ['is cut off', '10.0.0.20 0x1 0x2'],
])('one that %s is not', (_, written) => {
  expect(setUp([written]).at('10.0.0.20')).toBeUndefined();
});

test('an address that is not in an own network is never taken from the table, whatever it says', () => {
  const { at } = setUp([line('10.9.0.20', 'e0:a5:09:00:00:14'), line('10.0.0.1', 'e0:a5:09:00:00:01')]);
  expect(at('10.9.0.20')).toBeUndefined();
  expect(at('10.0.0.1')).toBeDefined();
});

test('one MAC at two addresses is shared, as behind a bridge or a router that answers for others', () => {
  const router = '00:11:22:33:44:55';
  const { at } = setUp([line('10.0.0.1', router), line('10.0.0.20', router), line('10.0.0.21', 'e0:a5:09:00:00:15')]);
  expect(['10.0.0.1', '10.0.0.20', '10.0.0.21'].map((ip) => at(ip)?.isShared)).toEqual([true, true, false]);
});

test('a farm of questions reads the table once a second, and a new answer shows then', () => {
  const { clock, at } = setUp([line('10.0.0.20', 'e0:a5:09:00:00:14')]);
  for (let i = 0; i < 1_000; i++) at(`10.0.0.${i % 256}`);
  expect(clock.reads).toBe(1);
  clock.lines = [line('10.0.0.20', 'e0:a5:09:00:00:99')];
  clock.now = 1_000;
  expect(at('10.0.0.20')?.mac).toBe('E0:A5:09:00:00:99');
  expect(clock.reads).toBe(2);
});

test('where there is no table nobody is known', () => {
  const { at } = setUp([]);
  expect(at('10.0.0.20')).toBeUndefined();
});

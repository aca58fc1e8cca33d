// Shortcomings of the host are named with the setting that ends them, and only when there are any.
import { expect, test } from 'vitest';
import { readiness, readLimits } from '../../../../src/agent/host/readiness.ts';
import { openFileLimit } from '../../../../src/base/platform/fd-limit.ts';

const network = { interface: 'eth0', address: '10.0.0.7', first: 0x0a000000, last: 0x0a00ffff };
const defaults = 1_024;
const everything = { first: 0x0a000000, last: 0x0a00ffff };

test('a host with room for everything gets no advice', () => {
  const limits = {
    openFiles: 65_536,
    maxNeighbours: 131_072,
    networks: [network],
    routes: undefined,
  };
  expect(readiness({ sockets: 2_000, ranges: [everything] }, limits)).toMatchObject({
    advice: [],
    onLinkPerSecond: undefined,
  });
});

test('too few open files: the limit, what is wanted, and both ways to set it', () => {
  const { advice } = readiness(
    { sockets: 2_000, ranges: [] },
    { openFiles: 1_024, maxNeighbours: defaults, networks: [], routes: undefined },
  );
  expect(advice).toHaveLength(1);
  expect(advice[0]).toContain('may open 1024, 5024 are wanted');
  expect(advice[0]).toContain('LimitNOFILE=8192');
  expect(advice[0]).toContain('ulimit -n 8192');
});

test('more neighbours than the table holds: the three settings, sized for the range, and a pace that it bears', () => {
  const found = readiness(
    { sockets: 100, ranges: [everything] },
    { openFiles: undefined, maxNeighbours: defaults, networks: [network], routes: undefined },
  );
  expect(found.onLinkAddresses).toBe(65_536);
  expect(found.onLinkPerSecond).toBe(256);
  expect(found.advice[0]).toContain(
    'net.ipv4.neigh.default.gc_thresh1=32768 net.ipv4.neigh.default.gc_thresh2=65536 net.ipv4.neigh.default.gc_thresh3=131072',
  );
  expect(found.advice[0]).toContain('/etc/sysctl.d/');
});

test('the same range behind a router needs no entries here', () => {
  const elsewhere = { ...network, first: 0xc0a80100, last: 0xc0a801ff };
  const found = readiness(
    { sockets: 100, ranges: [everything] },
    { openFiles: undefined, maxNeighbours: defaults, networks: [elsewhere], routes: undefined },
  );
  expect(found).toMatchObject({ onLinkAddresses: 0, advice: [] });
});

test('the limits of this system are read, or absent where it does not tell', () => {
  const limits = readLimits();
  expect(limits.openFiles).toBe(openFileLimit());
  if (process.platform === 'linux') expect(limits.openFiles ?? Infinity).toBeGreaterThan(100);
  else expect(limits.maxNeighbours).toBeUndefined();
});

test('how the miners are reached is told: direct neighbours by interface, the rest behind a router', () => {
  const limits = { openFiles: undefined, maxNeighbours: undefined, networks: [network], routes: undefined };
  const wayOf = (...ranges: { first: number; last: number }[]) => readiness({ sockets: 1, ranges }, limits).way;
  const near = { first: 0x0a000100, last: 0x0a0001ff };
  const far = { first: 0x0a090000, last: 0x0a09003f };
  expect(wayOf(near)).toBe('all direct neighbours of this host (eth0)');
  expect(wayOf(far)).toBe('all behind a router');
  expect(wayOf(near, far)).toBe('256 direct neighbours of this host (eth0), 64 behind a router');
  expect(wayOf({ first: 0x7f140000, last: 0x7f1403ff })).toBe('all inside this host');
});

test('addresses that no route leads to are named, with the command; where the table is unknown nothing is claimed', () => {
  const far = { first: 0x0a090000, last: 0x0a09003f };
  const adviceOf = (routes: { first: number; last: number }[] | undefined) =>
    readiness(
      { sockets: 1, ranges: [far] },
      { openFiles: undefined, maxNeighbours: undefined, networks: [network], routes },
    ).advice;
  expect(adviceOf([{ first: 0x0a000000, last: 0x0a00ffff }])).toEqual([
    expect.stringMatching(/^routes: 64 addresses \(10\.9\.0\.0 to 10\.9\.0\.63\) cannot be reached.*ip route add/),
  ]);
  expect(adviceOf([{ first: 0, last: 0xffffffff }])).toEqual([]);
  expect(adviceOf([{ first: 0x0a080000, last: 0x0a09ffff }])).toEqual([]);
  expect(adviceOf(undefined)).toEqual([]);
});

// The farm as a whole: where it stands, what it is made of, neighbours, moves, errors with advice, and that nothing
// stays behind.
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Farm, startFarm } from '../../../fixtures/farm/farm.ts';
import { layOut } from '../../../fixtures/farm/layout.ts';
import { chooseVariants, parseMix } from '../../../fixtures/farm/mix.ts';
import { canBind, explainListenError, fileLimitAdvice } from '../../../fixtures/farm/ports.ts';
import { ConfigError } from '../../../src/base/errors.ts';
import { parseIpv4 } from '../../../src/base/net/ipv4.ts';
import { loopback } from '../../support/loopback.ts';
import { ask, errorCode, get, talk, testFarm } from './clients.ts';

const open: Farm[] = [];
afterEach(async () => {
  for (const farm of open.splice(0)) await farm.stop();
});
async function start(...args: Parameters<typeof testFarm>): Promise<Farm> {
  const farm = await testFarm(...args);
  open.push(farm);
  return farm;
}

describe('layout', () => {
  test('addresses rise, are unique, stay inside the range and leave holes', () => {
    const addresses = layOut('127.20.0.0/22', 300, 1).map((ip) => parseIpv4(ip) ?? 0);
    expect(new Set(addresses).size).toBe(300);
    expect(addresses.toSorted((a, b) => a - b)).toEqual(addresses);
    expect(addresses.every((address) => address > 0x7f140000 && address < 0x7f1403ff)).toBe(true);
    expect(Math.max(...addresses.slice(1).map((address, index) => address - (addresses[index] ?? 0)))).toBeGreaterThan(
      3,
    );
    expect(layOut('127.20.0.0/22', 300, 2)).not.toEqual(layOut('127.20.0.0/22', 300, 1));
  });
  test('a range can be full', () => {
    expect(layOut('127.20.0.0/29', 6, 1)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `127.20.0.${n}`));
    expect(() => layOut('127.20.0.0/29', 7, 1)).toThrow(ConfigError);
  });
  test('a start address makes its own range; only loopback will do', () => {
    expect(layOut('127.20.0.10', 3, 1)[0]).toMatch(/^127\.20\.0\.1[01]$/);
    expect(() => layOut('10.0.0.0/24', 3, 1)).toThrow(/loopback/);
    expect(() => layOut('127.20.0.0/33', 3, 1)).toThrow(ConfigError);
  });
});

describe('mix', () => {
  test('shares are kept at any count and families are interleaved', () => {
    const names = chooseVariants(parseMix('antminer-stock=3,avalon=1'), 40).map((variant) => variant.driver);
    expect(names.filter((name) => name === 'avalon')).toHaveLength(10);
    expect(names.slice(0, 4).toSorted()).toEqual(['antminer-stock', 'antminer-stock', 'antminer-stock', 'avalon']);
  });
  test('all has every family', () => {
    expect(new Set(chooseVariants(parseMix('all'), 100).map((variant) => variant.family)).size).toBe(
      Object.keys(parseMix('all')).length,
    );
  });
  test('an unknown family is refused with those that are known', () => {
    expect(() => parseMix('antmner=2')).toThrow(ConfigError);
    expect(() => parseMix('avalon=0')).toThrow(ConfigError);
    try {
      parseMix('x');
    } catch (error) {
      expect(error instanceof ConfigError && error.problems[0]?.message).toContain('whatsminer-2');
    }
  });
});

test('the same seed gives the same farm, another seed another', async () => {
  const describeFarm = (farm: Farm) =>
    farm.devices.map((device) => [device.ip, device.truth().mac, device.truth().serial_number]);
  const { network } = loopback(26);
  const one = await start({ network, miners: 8, seed: 5 });
  const first = describeFarm(one);
  await one.stop();
  const two = await start({ network, miners: 8, seed: 5 });
  expect(describeFarm(two)).toEqual(first);
  await two.stop();
  expect(describeFarm(await start({ network, miners: 8, seed: 6 }))).not.toEqual(first);
});

test('identities are unique within a farm', async () => {
  const farm = await start({ miners: 120 });
  const truths = farm.devices.map((device) => device.truth());
  const macs = truths.map((truth) => truth.mac).filter((mac) => mac !== '');
  expect(new Set(macs).size).toBe(macs.length);
  expect(macs.every((mac) => /^02(:[0-9A-F]{2}){5}$/.test(mac))).toBe(true);
  const serials = truths.flatMap((truth) => truth.serial_number ?? []);
  expect(new Set(serials).size).toBe(serials.length);
});

test('odd neighbours: a page about something else, and a host that says nothing', async () => {
  const farm = await start({ miners: 4, odd: 4 });
  expect(farm.odd.map(({ kind }) => kind)).toEqual(['web-page', 'mute', 'web-page', 'mute']);
  const [page, mute] = farm.odd;
  expect((await get(page?.ip ?? '', '/')).status).toBe(200);
  expect(await errorCode(ask(page?.ip ?? '', 'version'))).toBe('ECONNREFUSED');
  expect(await errorCode(talk(mute?.ip ?? '', 4028, '{"command":"version"}', 100))).toContain('silent');
});

test('a device moves: the old address is closed, the new one answers with the same identity', async () => {
  const { ip } = loopback();
  const [free, spare] = [ip(99), ip(98)];
  const farm = await start({ network: `${ip(1)}-${ip(20)}`, miners: 3, mix: 'avalon' });
  const [device, other] = farm.devices;
  if (!device || !other) throw new Error('two devices wanted');
  const from = device.ip;
  const before = device.truth();
  await farm.move(from, free);
  expect(await errorCode(ask(from, 'version'))).toBe('ECONNREFUSED');
  expect((await ask(free, 'version')).at('VERSION', 0, 'DNA')).toBe(before.serial_number);
  expect(device.truth()).toEqual({ ...before, ip: free });
  expect(farm.device(free)).toBe(device);
  await expect(farm.move(free, other.ip)).rejects.toThrow('taken');
  await expect(farm.move(from, spare)).rejects.toThrow('no device');
  await expect(farm.move(free, '10.0.0.1')).rejects.toThrow('loopback');
});

test('requests and the most at once are counted', async () => {
  const farm = await start({ miners: 1, mix: 'whatsminer-2' });
  const [device] = farm.devices;
  if (!device) throw new Error('a device wanted');
  await ask(device.ip, 'summary');
  await get(device.ip, '/');
  expect([device.requests, device.maxInFlight, device.inFlight]).toEqual([2, 1, 0]);
  // A probe that only connects is no request.
  const probe = connect({ host: device.ip, port: 4028 });
  await new Promise((resolve) => probe.once('connect', resolve));
  probe.destroy();
  expect(device.requests).toBe(2);
});

describe('trouble', () => {
  test('a taken address says what to do, and what was started is stopped again', async () => {
    const { ip } = loopback(30);
    await start({ network: `${ip(1)}-${ip(3)}`, miners: 3, mix: 'cgminer' });
    await expect(startFarm({ network: `${ip(0)}-${ip(3)}`, miners: 4, mix: 'cgminer' })).rejects.toThrow(
      /listens there already/,
    );
    expect(await errorCode(ask(ip(0), 'version'))).toBe('ECONNREFUSED');
  });
  test.each([
    ['EACCES', /--port-map 80=8080/],
    ['EADDRNOTAVAIL', /ifconfig lo0 alias 127\.9\.9\.9/],
    ['EMFILE', /ulimit -n/],
    ['EBUSY', /EBUSY/],
  ])('%s is explained', (code, advice) => {
    const error = Object.assign(new Error(`listen ${code}`), { code });
    expect(explainListenError(error, '127.9.9.9').message).toMatch(advice);
  });
  test('too few open files are noticed before the start', () => {
    expect(fileLimitAdvice(3_000, 1_024)).toMatch(/ulimit -n \d+.*at most 206 miners/);
    expect(fileLimitAdvice(200, 1_024)).toBeUndefined();
    expect(fileLimitAdvice(99_999, undefined)).toBeUndefined();
  });
  test('an address that is not ours cannot be bound', async () => {
    expect(await canBind(4028, '192.0.2.1')).toBe('no-such-address');
    expect(await canBind(0, '127.0.0.1')).toBe('yes');
  });
});

test('a thousand devices start, answer and leave nothing behind', async () => {
  const handles = () => process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)).length;
  const before = handles();
  const farm = await startFarm({
    network: loopback(21).network,
    miners: 1_000,
    odd: 10,
    portMap: { 80: 8080, 8080: 18_080 },
  });
  expect(farm.devices).toHaveLength(1_000);
  expect(handles()).toBeGreaterThan(before + 1_500);
  const asked = farm.devices.filter(({ family }) => /antminer|avalon|cgminer/.test(family)).slice(0, 200);
  const answers = await Promise.all(asked.map(({ ip }) => ask(ip, 'summary')));
  expect(answers.every((answer) => answer.number('SUMMARY', 0, 'Elapsed') > 0)).toBe(true);
  await farm.stop();
  await farm.stop();
  await expect.poll(handles).toBeLessThanOrEqual(before);
});

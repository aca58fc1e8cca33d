// Reboots of simulated devices on real sockets and virtual time: gone at once, back after the boot time, with
// everything at zero.
import { afterEach, expect, test } from 'vitest';
import type { Device, Farm, FarmOptions } from '../../../fixtures/farm/farm.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { Secret } from '../../../src/base/secrets.ts';
import { createTransport, type Transport } from '../../../src/transport/transport.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';
import { ask, askFramed, errorCode, get, getWithLogin, ROOT, testFarm } from './clients.ts';

const BOOT_S = 45;
const WARM_UP_S = 100;

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.stop();
});

async function start(mix: string, more: Partial<FarmOptions> = {}): Promise<[Farm, VirtualClock]> {
  const clock = createVirtualClock();
  const farm = await testFarm({
    miners: 2,
    mix,
    clock,
    bootS: BOOT_S,
    warmUpS: WARM_UP_S,
    freeze: false,
    noise: 0,
    ...more,
  });
  open.push(farm);
  return [farm, clock];
}

function pair(farm: Farm): [Device, Device] {
  const [first, second] = farm.devices;
  if (!first || !second) throw new Error('two devices wanted');
  return [first, second];
}

/** Sends without the device's clock: what is signed uses the device's own. */
function writer(): Transport {
  const transport = createTransport({ clock: systemClock, log: silentLog });
  open.push({ stop: () => transport.close() });
  return transport;
}

test('an Antminer goes away at once and returns with uptime zero and a warm-up', async () => {
  const [farm, clock] = await start('antminer-b');
  const [answering, dying] = pair(farm);
  const before = answering.truth();
  expect((await getWithLogin(answering.ip, '/cgi-bin/reboot.cgi', ROOT)).status).toBe(200);
  // The second one is gone before it answers.
  expect(await errorCode(getWithLogin(dying.ip, '/cgi-bin/reboot.cgi', ROOT))).toBe('ECONNRESET');
  for (const device of [answering, dying]) {
    await expect.poll(() => device.isUp).toBe(false);
    expect(device.reboots).toBe(1);
    await expect.poll(() => errorCode(ask(device.ip, 'version'))).toBe('ECONNREFUSED');
    expect(await errorCode(get(device.ip, '/'))).toBe('ECONNREFUSED');
  }

  await clock.advance((BOOT_S - 1) * 1_000);
  expect(await errorCode(ask(answering.ip, 'version'))).toBe('ECONNREFUSED');
  await clock.advance(1_000);
  await expect.poll(() => answering.isUp).toBe(true);

  const young = await ask(answering.ip, 'summary');
  expect(young.number('SUMMARY', 0, 'Elapsed')).toBe(0);
  expect(young.number('SUMMARY', 0, 'GHS 5s')).toBe(0);
  expect(young.number('SUMMARY', 0, 'Accepted')).toBe(0);
  await clock.advance(WARM_UP_S * 600);
  const warming = answering.truth();
  expect(warming.hashrate).toBeGreaterThan(0);
  expect(warming.hashrate ?? 0).toBeLessThan(before.hashrate ?? 0);
  await clock.advance(WARM_UP_S * 1_000);
  expect(answering.truth()).toMatchObject({
    hashrate: before.hashrate,
    mac: before.mac,
    serial_number: before.serial_number,
  });
  expect(answering.truth().uptime).toBe(Math.floor(WARM_UP_S * 1.6));
});

test('connections that were open go down with the device', async () => {
  const [farm, clock] = await start('avalon');
  const [device] = pair(farm);
  const { connect } = await import('node:net');
  const idle = connect({ host: device.ip, port: 8080 });
  await new Promise((resolve) => idle.once('connect', resolve));
  const gone = new Promise((resolve) => idle.once('close', resolve));
  idle.on('error', () => {});
  idle.resume();
  expect((await ask(device.ip, 'ascset', { parameter: '0,reboot,0' })).at('STATUS', 0, 'Code')).toBe(119);
  // The verb acts by a timer of the device.
  await clock.advance(1);
  await gone;
  expect(device.reboots).toBe(1);
});

test('a Whatsminer with API 2 reboots on an encrypted command, one with API 3 on a signed one', async () => {
  const transport = writer();
  const [farm] = await start('whatsminer', { miners: 5 });
  for (const device of farm.devices) {
    const link = transport.link(device.ip, {
      user: device.login?.user ?? '',
      password: new Secret(device.login?.password ?? ''),
    });
    const code = await errorCode(
      link.send(
        device.family === 'whatsminer-2'
          ? { via: 'whatsminer2-write', cmd: 'reboot', params: { respbefore: 'true' } }
          : { via: 'whatsminer3-write', cmd: 'set.system.reboot' },
      ),
    );
    // Odd places are gone before they answer.
    expect(code).toBe(device.index % 2 === 1 ? 'peer.reset' : undefined);
    await expect.poll(() => device.isUp).toBe(false);
    expect(device.reboots).toBe(1);
  }
});

test('one that never returns stays away until the fault is switched off', async () => {
  const [farm, clock] = await start('whatsminer-3');
  const [device] = pair(farm);
  device.setFault('never-returns', true);
  await rebootByHand(device);
  await clock.advance(BOOT_S * 20_000);
  expect(device.isUp).toBe(false);
  device.setFault('never-returns', false);
  await clock.advance(BOOT_S * 1_000);
  await expect.poll(() => device.isUp).toBe(true);
  expect((await askFramed(device.ip, { cmd: 'get.device.info' })).at('msg', 'network', 'mac')).toBe(device.truth().mac);
});

async function rebootByHand(device: Device): Promise<void> {
  const transport = writer();
  const link = transport.link(device.ip, { user: 'super', password: new Secret('super') });
  await errorCode(link.send({ via: 'whatsminer3-write', cmd: 'set.system.reboot' }));
  await expect.poll(() => device.isUp).toBe(false);
}

test('one that ignores reboots answers success and goes on', async () => {
  const [farm] = await start('antminer-c');
  for (const device of farm.devices) {
    device.setFault('ignores-reboot', true);
    const { uptime } = device.truth();
    expect((await getWithLogin(device.ip, '/cgi-bin/reboot.cgi', ROOT)).status).toBe(200);
    expect((await ask(device.ip, 'version')).at('VERSION', 0, 'API')).toBe('3.1');
    expect(device.reboots).toBe(0);
    expect(device.truth().uptime).toBeGreaterThanOrEqual(uptime ?? 0);
  }
});

test('a farm that stops while devices are away brings none of them back', async () => {
  const [farm, clock] = await start('antminer-b');
  const [device] = pair(farm);
  await getWithLogin(device.ip, '/cgi-bin/reboot.cgi', ROOT);
  await expect.poll(() => device.isUp).toBe(false);
  await farm.stop();
  await clock.advance(BOOT_S * 2_000);
  expect(device.isUp).toBe(false);
  expect(clock.pending()).toBe(0);
  expect(await errorCode(ask(device.ip, 'version'))).toBe('ECONNREFUSED');
});

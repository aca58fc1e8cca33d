// The farm from outside: remote control over HTTP, and the command line as another process sees it.
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Control, startControl } from '../../../fixtures/farm/control.ts';
import type { Device, Farm } from '../../../fixtures/farm/farm.ts';
import { loopback } from '../../support/loopback.ts';
import { ask, errorCode, Json, testFarm } from './clients.ts';

describe('remote control', () => {
  const net = loopback();
  const FREE = net.ip(200);
  let farm: Farm;
  let control: Control;
  beforeAll(async () => {
    farm = await testFarm({ network: net.network, miners: 4 });
    control = await startControl(farm, 0);
  });
  afterAll(async () => {
    await control.stop();
    await farm.stop();
  });

  async function call(path: string, body?: object): Promise<[number, Json]> {
    const response = await fetch(`http://127.0.0.1:${control.port}${path}`, {
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    return [response.status, new Json(await response.json())];
  }
  function first(): Device {
    const [device] = farm.devices;
    if (!device) throw new Error('a device wanted');
    return device;
  }

  test('gives the truth of all and of one', async () => {
    const [, all] = await call('/devices');
    expect(all.list('devices').map((device) => device.at('ip'))).toEqual(farm.devices.map(({ ip }) => ip));
    const [status, one] = await call(`/devices/${first().ip}`);
    expect(status).toBe(200);
    expect(one.value).toMatchObject({ ...first().truth(), is_up: true, faults: [], reboots: 0 });
  });
  test('switches faults on and off', async () => {
    const [status, body] = await call(`/devices/${first().ip}/faults`, { name: 'low-hashrate', on: true, value: 0.1 });
    expect([status, body.at('faults')]).toEqual([200, ['low-hashrate']]);
    expect(first().faultNames()).toEqual(['low-hashrate']);
    await call(`/devices/${first().ip}/faults`, { name: 'low-hashrate', on: false });
    expect(first().faultNames()).toEqual([]);
  });
  test('moves a device', async () => {
    const { ip } = first();
    const [status, body] = await call(`/devices/${ip}/move`, { to: FREE });
    expect([status, body.at('ip')]).toEqual([200, FREE]);
    expect(await errorCode(ask(ip, 'version'))).toBe('ECONNREFUSED');
  });
  test('presses the IP-report button of a device', async () => {
    const device = farm.devices.find(({ driver }) => driver === 'antminer-stock');
    const listener = createSocket('udp4');
    await new Promise<void>((resolve) => listener.bind(0, '127.0.0.1', resolve));
    const heard = once(listener, 'message');
    const to = { to: '127.0.0.1', port: listener.address().port };
    expect((await call(`/devices/${device?.ip}/ip-report`, to))[0]).toBe(200);
    const [bytes, { address }] = await heard;
    listener.close();
    expect([String(bytes), address]).toEqual([`${device?.ip},${device?.truth().mac}\0`, device?.ip]);
    expect((await call(`/devices/${device?.ip}/ip-report`, { to: 'nowhere' }))[0]).toBe(400);
  });
  test('freezes and thaws', async () => {
    expect((await call('/freeze', { on: false }))[0]).toBe(200);
    expect((await call('/freeze', { on: true }))[1].at('frozen')).toBe(true);
  });
  test('refuses what it does not know and says what it does', async () => {
    expect((await call(`/devices/${net.ip(250)}`))[0]).toBe(404);
    expect((await call('/nothing'))[1].list('routes').length).toBeGreaterThan(3);
    const [status, body] = await call(`/devices/${first().ip}/faults`, { name: 'on-fire', on: true });
    expect(status).toBe(400);
    expect(body.text('error')).toContain('board-dead');
    expect((await call(`/devices/${first().ip}/move`, { to: '10.0.0.1' }))[0]).toBe(400);
  });
});

describe('command line', () => {
  const farmCommand = (...args: string[]) =>
    spawn(process.execPath, ['fixtures/farm/main.ts', '--port-map', '80=8080', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  async function firstLine(child: ReturnType<typeof farmCommand>): Promise<string> {
    for await (const line of createInterface({ input: child.stdout })) return line;
    return '';
  }

  test('--json: the first line has every device, all of them listen; SIGTERM ends it with 0', async () => {
    const child = farmCommand(
      '--json',
      '--miners',
      '5',
      '--network',
      loopback(27).network,
      '--fault',
      '0=hot',
      '--freeze',
    );
    const exit = once(child, 'exit');
    const line = new Json(JSON.parse(await firstLine(child)));
    const devices = line.list('devices');
    expect(devices).toHaveLength(5);
    expect(devices[0]?.at('faults')).toEqual(['hot']);
    expect(devices[0]?.number('temp')).toBeGreaterThan(95);
    expect(devices.map((device) => device.at('driver'))).toContain('antminer-stock');
    const [antminer] = devices.filter((device) => device.at('driver') === 'antminer-stock');
    expect((await ask(antminer?.text('ip') ?? '', 'summary')).number('SUMMARY', 0, 'GHS 5s') * 1e9).toBe(
      antminer?.at('hashrate'),
    );
    child.kill('SIGTERM');
    expect((await exit)[0]).toBe(0);
  });
  test('--for ends it with 0', async () => {
    const child = farmCommand('--miners', '2', '--network', loopback(27).network, '--for', '50ms');
    const exit = once(child, 'exit');
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect((await exit)[0]).toBe(0);
    expect(said).toMatch(/address.*antminer-stock.*2 miners listen/s);
  });
  test('what is wrong is said, with what is accepted', async () => {
    const child = farmCommand('--fault', '0=on-fire');
    const exit = once(child, 'exit');
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect((await exit)[0]).not.toBe(0);
    expect(said).toContain('board-dead');
  });
});

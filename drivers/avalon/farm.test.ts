// Simulated Avalons: the token text, control by ascset, one client at a time, and errors in the program's own words.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Device, Farm } from '../../fixtures/farm/farm.ts';
import { ask, askText, get, testFarm } from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 4, mix: 'avalon' });
});
afterAll(() => farm.stop());

function device(model: string): Device {
  const found = farm.devices.find(({ spec }) => spec.model === model);
  if (!found) throw new Error(`no ${model} in the farm`);
  return found;
}

async function tokens(one: Device): Promise<Map<string, string>> {
  const text = (await ask(one.ip, 'estats')).text('STATS', 0, 'MM ID0');
  return new Map([...text.matchAll(/([A-Za-z0-9_]+)\[([^\]]*)\]/g)].map(([, name = '', value = '']) => [name, value]));
}

describe('Avalon', () => {
  test('version has everything that identifies it, the MAC without colons', async () => {
    expect((await ask(device('Avalon 1246').ip, 'version')).at('VERSION', 0)).toMatchObject({
      PROD: 'AvalonMiner 1246',
      MODEL: '1246-83',
      DNA: device('Avalon 1246').truth().serial_number,
      MAC: device('Avalon 1246').truth().mac.replaceAll(':', '').toLowerCase(),
    });
    // The A series has one version of the whole, home models one of each part.
    const { firmware_version } = device('Avalon 1466').truth();
    const version = (await ask(device('Avalon 1466').ip, 'version')).at('VERSION', 0);
    expect(version).toMatchObject({ VERSION: firmware_version, LOADER: 'd0d779de.00', STM8: '20.08.01' });
    expect(version).not.toHaveProperty('LVERSION');
  });
  test('the long text tells the truth', async () => {
    // The 1047 leaves words out.
    const whole = farm.devices.filter(({ family, spec }) => family === 'avalon-a' && spec.model !== 'Avalon 1047');
    expect(whole.length).toBeGreaterThan(0);
    for (const one of whole) {
      const truth = one.truth();
      const found = await tokens(one);
      const numbers = (name: string) => (found.get(name) ?? '').trim().split(/\s+/).map(Number);
      expect(numbers('GHSspd').map((ghs) => ghs * 1e9)).toEqual([truth.hashrate]);
      expect(numbers('GHSmm').map((ghs) => ghs * 1e9)).toEqual([truth.expected_hashrate]);
      expect(numbers('MGHS').map((ghs) => ghs * 1e9)).toEqual(truth.hashboards.map((board) => board.hashrate));
      expect(numbers('PS')[6]).toBe(truth.power);
      expect(numbers('TMax')).toEqual([truth.temp]);
      expect(truth.fans.map((fan) => numbers(`Fan${fan.index + 1}`)[0])).toEqual(truth.fans.map((fan) => fan.rpm));
      expect(numbers('Elapsed')).toEqual([truth.uptime]);
      expect(numbers('PVT_T0')).toHaveLength(one.spec.chipsPerBoard);
      expect(Math.max(...numbers('MTmax'))).toBe(truth.temp);
      expect(numbers('TA')).toEqual([one.spec.chipsPerBoard * 3]);
    }
  });
  test('light, mode and sleep follow ascset', async () => {
    const one = device('Avalon 1246');
    const set = async (parameter: string) => (await ask(one.ip, 'ascset', { parameter })).at('STATUS', 0);
    expect(await set('0,led,1-1')).toMatchObject({ STATUS: 'S', Code: 119 });
    expect((await tokens(one)).get('Led')).toBe('1');
    expect(await set('0,led,0-1')).toMatchObject({ STATUS: 'E', Code: 120 });
    expect(await set('0,workmode,1')).toMatchObject({ Code: 119 });
    expect(one.truth()).toMatchObject({ light_on: true, mining_mode: 'high', uptime: 0 });
    expect(await set('0,help')).toMatchObject({ STATUS: 'I', Code: 118 });
    expect(await set('1,help')).toMatchObject({ Code: 120 });
    expect(await set('0,softoff,1:5')).toMatchObject({ Code: 120 });
    const now = (await ask(one.ip, 'version')).number('STATUS', 0, 'When');
    expect(await set(`0,softoff,1:${now}`)).toMatchObject({ Code: 118, Msg: `ASC 0 set info: success softoff:${now}` });
    await expect.poll(() => one.truth().mining_mode).toBe('sleep');
    expect((await tokens(one)).get('SYSTEMSTATU')).toContain('In Idle');
    expect(one.truth()).toMatchObject({ is_mining: false, hashrate: 0 });
  });
  test('serves one client at a time; the next waits until the first has left', async () => {
    const one = device('Avalon 1466');
    const silent = connect({ host: one.ip, port: 4028 });
    await new Promise((resolve) => silent.once('connect', resolve));
    const waiting = askText(one.ip, { command: 'version' });
    // Another server of the same device answers meanwhile: it is the queue that waits, not the device.
    expect((await get(one.ip, '/')).body).toContain('Avalon');
    let isAnswered = false;
    waiting.then(
      () => {
        isAnswered = true;
      },
      () => {},
    );
    await get(one.ip, '/');
    expect(isAnswered).toBe(false);
    silent.destroy();
    expect(await waiting).toContain('AvalonMiner 1466');
    expect(one.maxInFlight).toBe(1);
  });
  test('a client that leaves without a word while it waits holds no place', async () => {
    const one = device('Avalon 1466');
    const silent = connect({ host: one.ip, port: 4028 });
    await new Promise((resolve) => silent.once('connect', resolve));
    const leaving = connect({ host: one.ip, port: 4028 });
    await new Promise((resolve) => leaving.once('connect', resolve));
    leaving.end();
    await new Promise((resolve) => leaving.once('finish', resolve));
    await get(one.ip, '/');
    silent.destroy();
    expect(await askText(one.ip, { command: 'version' }, 2_000)).toContain('AvalonMiner 1466');
    leaving.destroy();
  });
  test('of several that wait none is forgotten', async () => {
    const one = device('Avalon 1466');
    const silent = connect({ host: one.ip, port: 4028 });
    await new Promise((resolve) => silent.once('connect', resolve));
    const waiting = Array.from({ length: 5 }, () => askText(one.ip, { command: 'version' }, 2_000));
    // They stand in the queue by the time that another server has answered.
    await get(one.ip, '/');
    silent.destroy();
    expect((await Promise.all(waiting)).every((answer) => answer.includes('AvalonMiner 1466'))).toBe(true);
  });
  test('pools print their password, as the real thing does', async () => {
    expect((await ask(device('Avalon 1466').ip, 'pools')).at('POOLS', 0, 'Password')).toBe('x');
  });
});

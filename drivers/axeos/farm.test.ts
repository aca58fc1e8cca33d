// Simulated Bitaxes and their kin: a page that is always compressed, one API, settings that count after a restart, and
// what old builds do not know.
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Device, Farm } from '../../fixtures/farm/farm.ts';
import { get, Json, testFarm, WEB_PORT } from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 8, mix: 'bitaxe=2,nerdaxe=1,luckyminer=1', bootS: 0.2 });
});
afterAll(() => farm.stop());

const of = (model: string, nth = 0): Device => {
  const device = farm.devices.filter(({ spec }) => spec.model === model)[nth];
  if (device === undefined) throw new Error(`no ${model} in the farm`);
  return device;
};
const info = async ({ ip }: Device) => new Json(JSON.parse((await get(ip, '/api/system/info')).body));
const order = async ({ ip }: Device, method: string, path: string, body?: object) =>
  (await get(ip, path, { method, ...(body && { body: JSON.stringify(body) }) })).status;

/** The bytes of the start page, as they come to a client that asked for nothing of the kind. */
function rawPage(ip: string): Promise<{ encoding: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: ip, port: WEB_PORT, path: '/', agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

test.each([
  ['Supra', 'AxeOS'],
  ['NerdQAxe++', 'Nerd'],
  ['LV07', 'Lucky miner'],
])('the page of a %s is compressed and says %s', async (model, word) => {
  const { encoding, bytes } = await rawPage(of(model).ip);
  expect(encoding).toBe('gzip');
  expect(bytes.toString('latin1')).not.toContain(word);
  expect(gunzipSync(bytes).toString()).toContain(word);
});

test('tells what the truth says', async () => {
  for (const device of farm.devices) {
    const truth = device.truth();
    const told = await info(device);
    expect(told.number('hashRate') * 1e9).toBe(truth.hashrate);
    expect([told.at('power'), told.at('temp'), told.at('uptimeSeconds'), told.at('macAddr')]).toEqual([
      truth.power,
      truth.temp,
      truth.uptime,
      truth.mac,
    ]);
    const cores = told.number('smallCoreCount') * told.number('asicCount') * told.number('frequency');
    expect(cores * 1e6).toBe(device.spec.hashrateHs);
  }
});

test('builds differ in what they know', async () => {
  expect((await info(of('Gamma'))).at('miningPaused')).toBe(false);
  expect((await info(of('Supra'))).at('miningPaused')).toBeUndefined();
  expect(await order(of('Supra'), 'POST', '/api/system/pause')).toBe(405);
  expect(await order(of('Supra'), 'GET', '/api/system/asic')).toBe(404);
  expect(await order(of('Supra'), 'GET', '/anything')).toBe(302);
  expect((await info(of('NerdQAxe++'))).at('deviceModel')).toBe('NerdQAxe++');
  expect((await info(of('LV07'))).at('minerModel')).toBe('LV07');
});

describe('heat', () => {
  test('stops all of them; a NerdAxe goes on telling its last rate', async () => {
    for (const [model, tells] of [
      ['Gamma', false],
      ['NerdQAxe++', true],
    ] as const) {
      const device = of(model);
      device.setFault('hot', true);
      const told = await info(device);
      expect([told.at('overheat_mode'), told.number('hashRate') > 0, told.at('power')]).toEqual([1, tells, 3]);
      expect(device.truth()).toMatchObject({ is_mining: false, hashrate: tells ? null : 0 });
      device.setFault('hot', false);
    }
  });
});

test('pause and resume', async () => {
  const device = of('Gamma');
  expect(await order(device, 'POST', '/api/system/pause')).toBe(200);
  expect(device.truth()).toMatchObject({ mining_mode: 'sleep', is_mining: false, hashrate: 0 });
  await order(device, 'POST', '/api/system/resume');
  expect(device.truth()).toMatchObject({ mining_mode: 'normal', is_mining: true });
});

test('pools are stored, and count after a restart', async () => {
  const device = of('Supra', 1);
  const urls = () => device.truth().pools.map(({ url, worker_id }) => `${url} ${worker_id}`);
  const before = urls();
  const set = { stratumURL: 'stratum+tcp://new.example', stratumPort: 25, stratumUser: 'w' };
  expect(await order(device, 'PATCH', '/api/system', set)).toBe(200);
  expect(urls()).toEqual(before);
  expect(await order(device, 'POST', '/api/system/restart')).toBe(200);
  await expect.poll(() => device.reboots).toBe(1);
  expect(urls()).toEqual(['stratum+tcp://new.example:25 w', before[1]]);
});

test('changes are refused where the device holds us for a stranger', async () => {
  const device = of('LV07', 1);
  device.setFault('write-api-off', true);
  expect(await order(device, 'POST', '/api/system/restart')).toBe(401);
  expect(await order(device, 'PATCH', '/api/system', { stratumUser: 'x' })).toBe(401);
  expect((await info(device)).at('ASICModel')).toBe('BM1366');
  expect(device.reboots).toBe(0);
  device.setFault('write-api-off', false);
});

// `pithead log` as a technician types it, against simulated devices: one that keeps a log, one that has none to give,
// and nobody.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead } from './process.ts';

const { network, ip: addressOf } = loopback(29);
let farm: Farm;
let portMap: string[];

beforeAll(async () => {
  const map = await suitablePortMap();
  portMap = Object.entries(map).flatMap(([from, to]) => ['--port-map', `${from}=${to}`]);
  farm = await startFarm({ network, mix: { 'braiins-rest': 4, bitaxe: 1 }, miners: 5, portMap: map });
});
afterAll(() => farm.stop());

const log = (ip: string) => runPithead(['log', ip, ...portMap]);
const ipOf = (model: string) => farm.devices.find((device) => device.truth().model === model)?.ip ?? '';

test('the log of a miner is printed as text', async () => {
  const { code, stdout, stderr } = await log(ipOf('S21'));
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(/\S+\n$/);
});

test('a family without a log says so, and fails', async () => {
  const { code, stdout, stderr } = await log(ipOf('Supra'));
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('cannot do it');
});

test('nobody, and what is no address, are told apart by the exit code', async () => {
  expect((await log(addressOf(6))).code).toBe(1);
  expect(await log('miner-7')).toMatchObject({ code: 3, stdout: '' });
});

// MSKMiner on real sockets: whose words it speaks, its own keys, the login that guards the MAC.
import { expect, test } from 'vitest';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import type { Evidence } from '../../src/driver/contract.ts';
import { matchDriver } from '../../src/driver/identify.ts';
import { caseAnswers } from '../../test/contract/samples.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { drivers } from '../index.ts';
import { mskminer as driver } from './index.ts';

const sample = caseAnswers(driver, 'a-board-missing');

const site = standing(driver, { miners: 2, mix: 'mskminer' });

const at = (nth: number) => site().device(nth);
const visit = async ({ ip }: Device) => site().read(ip, (await site().recognise(ip))?.known);

test('is known by TCP, with model and version apart, and not by its web', async () => {
  expect((await site().recognise(at(0).ip, [4028]))?.known).toEqual({
    make: 'Antminer',
    model: 'S19 No PIC',
    firmwareVersion: '1.0.3',
  });
  expect(await site().recognise(at(0).ip, [80])).toBeUndefined();
});

const hasStock = drivers.some(({ id }) => id === 'antminer-stock');

test.runIf(hasStock)('other firmware that says rwglr is an old stock Antminer', () => {
  const version = (Type: string) => JSON.stringify({ VERSION: [{ BMMiner: '4.9.0 rwglr', API: '3.1', Type }] });
  const match = (evidence: Omit<Evidence, 'family'>) => {
    const found = matchDriver(drivers, { ...evidence, family: 'mskminer' });
    return [found?.driver.id, found?.identity.model, found?.identity.generation];
  };
  expect(match({ version: version('Antminer L3+') })).toEqual(['antminer-stock', 'L3+', 'a']);
  expect(match({ version: version('Antminer S19 v.1.0.3 ') })).toEqual(['mskminer', 'S19', undefined]);
  const web = { status: 401, body: '', authenticate: 'Digest realm="antMiner Configuration"' };
  const nameless = '{"VERSION":[{"BMMiner":"4.9.0 rwglr"}]}';
  expect(match({ version: nameless, web })).toEqual(['antminer-stock', undefined, 'a']);
  expect(match({ version: nameless })[0]).toBe('mskminer');
});

test('is read as it is', async () => {
  const { reading, unparsable } = await visit(at(0));
  expect(unparsable).toEqual([]);
  expectTruth(reading, at(0));
});

test.each<FaultName>(['board-dead', 'fan-stopped', 'pool-dead', 'hot', 'low-hashrate'])(
  'with %s too',
  async (fault) => {
    at(0).setFault(fault, true);
    expectTruth((await visit(at(0))).reading, at(0));
    at(0).setFault(fault, false);
  },
);

test('a refused login loses the MAC and nothing else', async () => {
  at(1).setFault('wrong-password', true);
  const { ip } = at(1);
  const { reading, isLoginRefused } = await site().read(ip, {}, site().linkAs(ip, 'admin', 'root'));
  expect(isLoginRefused).toBe(true);
  expect(reading).not.toHaveProperty('mac');
  expect(reading).toMatchObject({ model: 'S19 No PIC', isMining: true });
  at(1).setFault('wrong-password', false);
});

test('a missing board keeps the places of the others; power and rate are its own keys', () => {
  const { reading } = driver.read(sample, {});
  expect(reading.boards?.map(({ slot }) => slot)).toEqual([0, 2]);
  expect(reading).toMatchObject({ hashrateHs: 58_700.25e9, powerW: 2_100, mac: '02:00:00:00:00:12', tempC: 70 });
  expect(reading).not.toHaveProperty('inletTempC');
  const older = { 'GHS 5s': '7.5', Elapsed: 1 };
  expect(driver.read({ stats: { STATS: [older] } }, {}).reading).not.toHaveProperty('hashrateHs');
  expect(driver.read({ stats: { STATS: [older] } }, { model: 'S9' }).reading).toMatchObject({
    hashrateHs: 7.5e9,
    hashrateWindow: '5s',
  });
});

test('nothing is known of its control, so nothing is offered', () => {
  expect(driver.abilities).toEqual({});
});

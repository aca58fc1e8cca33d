// Hammer, which copied Bitmain's web: by what it is known, and what it can be told, against simulated devices on real
// sockets. On its web alone it looks like a VolcMiner, and is read and refused as one.
import { describe, expect, test } from 'vitest';
import { matchDriver } from '../../src/driver/identify.ts';
import { acting } from '../../test/contract/acting.ts';
import {
  losesBoardAndFan,
  refusesPools,
  refusesStranger,
  replacesPools,
  switchesLight,
  TWO_POOLS,
} from '../../test/contract/copied-web-steps.ts';
import { standing } from '../../test/contract/simulated.ts';
import { refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { drivers, families } from '../index.ts';
import { hammer } from './index.ts';

const site = standing([hammer], { miners: 4, mix: 'hammer', bootS: 0.4 });

const miner = acting(hammer, site);
/** With a wrong password. */
const strangerTo = (nth: number) => site().linkAs(site().device(nth).ip, 'root', 'wrong');
const volcminer = drivers.find(({ id }) => id === 'volcminer');

describe('who is who', () => {
  test('by TCP alone, and by TCP and web together', async () => {
    for (const ports of [[4028], [80, 4028]]) {
      const found = matchDriver(drivers, await site().evidenceOf(site().device(0).ip, ports));
      expect(found?.driver.id).toBe('hammer');
      expect(found?.identity).toMatchObject({ confidence: 'sure', make: 'Hammer', model: 'D10' });
    }
  });

  test.runIf(volcminer)('the web alone does not tell it from a VolcMiner; the login does', async () => {
    const device = site().device(0);
    const found = matchDriver(drivers, await site().evidenceOf(device.ip, [80]));
    expect([found?.driver.id, found?.identity]).toEqual(['volcminer', { confidence: 'sure' }]);
    const { reading } = await site().read(device.ip, {}, undefined, volcminer);
    expect(reading).toMatchObject({ make: 'Hammer', model: 'D10', hashrateHs: device.truth().hashrate });
  });

  test('a name that has Hammer in it somewhere is no Hammer', () => {
    const version = '{"VERSION":[{"Type":"Antminer S19","Miner":"sledgehammer 1"}]}';
    expect(families.familyOf({ version })).not.toBe('hammer');
  });
});

test('a board that died and a fan that stopped', () => losesBoardAndFan(miner, site().device(0)));

describe('actions', () => {
  test('the light goes on and off, and is seen', () => switchesLight(miner, site().device(0)));

  test('a wrong password is told as such, by every action', () => refusesStranger(hammer, strangerTo(0)));
});

describe('pools', () => {
  test('are replaced, seen, and not written twice', () => replacesPools(miner, site().device(2)));

  test('a yes that does nothing shows; a no is a matter of permission', () =>
    refusesPools(miner, site().device(3), strangerTo(3)));

  test.runIf(volcminer)('behind its web alone it is not written over with what a VolcMiner wants', async () => {
    const device = site().device(3);
    const before = device.truth().pools;
    const order = { pools: TWO_POOLS };
    const pools = volcminer?.abilities.pools;
    expect(pools?.params.safeParse(order).success).toBe(true);
    const refused = Promise.resolve(pools?.act(site().link(device.ip), order, {}));
    expect(await refusalOf(refused)).toMatch(/peer\.(unsupported|rejected)/);
    expect(device.truth().pools).toEqual(before);
  });
});

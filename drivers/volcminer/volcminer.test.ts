// VolcMiner, which copied Bitmain's web: by what it is known, what stands in its place in odd cases, and what it can be
// told, against simulated devices on real sockets. On its web alone it looks like a Hammer.
import { describe, expect, test } from 'vitest';
import { matchDriver } from '../../src/driver/identify.ts';
import { acting } from '../../test/contract/acting.ts';
import {
  losesBoardAndFan,
  refusesPools,
  refusesStranger,
  replacesPools,
  TWO_POOLS,
} from '../../test/contract/copied-web-steps.ts';
import { standing } from '../../test/contract/simulated.ts';
import { fakeLink, lostAfterSending, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { drivers, families } from '../index.ts';
import { volcminer } from './index.ts';

const site = standing([volcminer], { miners: 4, mix: 'volcminer', bootS: 0.4 });

const miner = acting(volcminer, site);
/** With a wrong password. */
const strangerTo = (nth: number) => site().linkAs(site().device(nth).ip, 'root', 'wrong');
/** Whose words its login has. */
const hammer = drivers.find(({ id }) => id === 'hammer');

describe('who is who', () => {
  test.runIf(hammer)('the web alone proves that it is this or a Hammer, and does not tell which', async () => {
    const found = matchDriver(drivers, await site().evidenceOf(site().device(0).ip, [80]));
    expect([found?.driver.id, found?.identity]).toEqual(['volcminer', { confidence: 'sure' }]);
  });

  test('the login tells which', async () => {
    const device = site().device(0);
    const reading = await miner.look(device);
    expect(reading).toMatchObject({ make: 'VolcMiner', model: 'D1', hashrateHs: device.truth().hashrate });
  });

  test('by its own words', () => {
    const web = { status: 200, body: '<title>VolcMiner</title>' };
    const version = '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.1","Type":"VolcMiner D1","Miner":"2.0.2.2"}]}';
    for (const [parts, confidence] of [
      [{ web }, 'likely'],
      [{ version }, 'sure'],
    ] as const) {
      const found = matchDriver(drivers, families.evidenceOf(parts));
      expect([found?.driver.id, found?.identity.confidence, found?.identity.make]).toEqual([
        'volcminer',
        confidence,
        'VolcMiner',
      ]);
    }
  });
});

describe('readings', () => {
  test('one that lets us not in is read over its own port, where one is open', async () => {
    const one = site().device(1);
    one.setFault('wrong-password', true);
    const { ip } = one;
    const link = site().linkAs(ip, 'root', 'ltc@dog');
    const { reading, isLoginRefused } = await site().read(ip, { make: 'VolcMiner', model: 'D1' }, link);
    const { hashrate, uptime, hashboards, fans, pools } = one.truth();
    expect({ isLoginRefused, ...reading }).toMatchObject({
      ...{ isLoginRefused: true, make: 'VolcMiner', model: 'D1', firmwareVersion: expect.any(String) },
      ...{ hashrateHs: hashrate, uptimeS: uptime, isMining: true, fans },
      boards: hashboards.map(({ chips }, slot) => ({ slot, chips })),
      pools: pools.map(({ url }) => ({ url })),
    });
    one.setFault('wrong-password', false);
  });

  test('a fan that reads 0 is left out, an empty place is no board, places keep their number', () => {
    const { reading } = volcminer.read(
      {
        status: {
          fan1: '0',
          fan2: '5,100',
          devs: [
            { index: '1', chain_acn: '0' },
            { index: '3', chain_acn: '105', temp: [50], rate: '5,600.5' },
          ],
        },
        system: { hostname: 'rack-7' },
      },
      {},
    );
    expect(reading.fans).toEqual([{ index: 1, rpm: 5_100 }]);
    expect(reading.boards).toMatchObject([{ slot: 2, chips: 105, hashrateHs: 5_600.5e6, boardTempsC: [50] }]);
    expect(reading).not.toHaveProperty('model');
  });

  test('one that writes a comma too many is read all the same', async () => {
    const { reading, unparsable } = await site().read(site().device(1).ip);
    expect(unparsable).toEqual([]);
    expect(reading.boards).toHaveLength(3);
  });

  test('a board that died and a fan that stopped', () => losesBoardAndFan(miner, site().device(0)));
});

test('a wrong password is told as such, by every action', () => refusesStranger(volcminer, strangerTo(0)));

describe('pools', () => {
  test('are replaced, seen, and not written twice', () => replacesPools(miner, site().device(2)));

  test('a yes that does nothing shows; a no is a matter of permission', () =>
    refusesPools(miner, site().device(3), strangerTo(3)));

  const confs = {
    '/cgi-bin/get_miner_conf.cgi': {
      pools: [],
      freq: '1875',
      'coin-type': 'ltc',
      'sram-voltage': '3',
      'fan-ctrl': true,
    },
    '/cgi-bin/get_miner_confV1.cgi': { runmode: '0', voltage: '1260' },
  };
  const volc = (answer: unknown, more: object = {}) =>
    fakeLink((request) => {
      if (request.via !== 'http') throw lostAfterSending();
      const conf = Object.entries({ ...confs, ...more }).find(([path]) => path === request.path)?.[1];
      if (conf !== undefined) return conf;
      if (answer instanceof Error) throw answer;
      return answer;
    });
  const tell = (link: ReturnType<typeof fakeLink>, wanted: readonly object[] = TWO_POOLS) =>
    Promise.resolve(volcminer.abilities.pools?.act(link, { pools: wanted }, {}));

  test('frequency, voltage and fans go back as they were read, in the order of the page', async () => {
    const link = volc('ok');
    expect(await tell(link)).toEqual({ kind: 'accepted' });
    const sent = link.sent.at(-1);
    expect(sent).toMatchObject({ method: 'POST', path: '/cgi-bin/set_miner_conf.cgi' });
    const form = sent !== undefined && 'form' in sent ? Object.entries(sent.form ?? {}) : [];
    expect(form.slice(0, 2)).toEqual([
      ['_bb_pool1url', 'stratum+tcp://new-a.example:3333'],
      ['_bb_pool1user', 'farm.x'],
    ]);
    expect(form.slice(9)).toEqual([
      ['_bb_nobeeper', 'false'],
      ['_bb_notempoverctrl', 'false'],
      ['_bb_fan_customize_switch', 'true'],
      ['_bb_fan_customize_value_front', ''],
      ['_bb_fan_customize_value_back', ''],
      ['_bb_freq', '1875'],
      ['_bb_coin_type', 'ltc'],
      ['_bb_runmode', '0'],
      ['_bb_voltage_customize_value', '1260'],
      ['_bb_ema', '3'],
      ['_bb_debug', 'false'],
    ]);
  });

  test('the configuration in quotes, of which nothing is escaped', async () => {
    const quoted =
      '{"code": "200", "data": "{ "cfgs": "[{"pools":[],"freq":"1875","coin-type":"ltc","sram-voltage":"3"}]", ' +
      '"debug": "{"bb_debug_enable": true}", "runmode": "0", "voltage": "1260" }" }';
    const link = volc('ok', { '/cgi-bin/get_miner_confV1.cgi': quoted });
    expect(await tell(link)).toEqual({ kind: 'accepted' });
    expect(link.sent.at(-1)).toMatchObject({
      form: { _bb_freq: '1875', _bb_voltage_customize_value: '1260', _bb_ema: '3', _bb_debug: 'true' },
    });
  });

  test('a voltage that is not told is not made up, and odd characters are refused before anything is sent', async () => {
    const link = volc('ok', { '/cgi-bin/get_miner_confV1.cgi': { runmode: '0', voltage: '' } });
    expect(await refusalOf(tell(link))).toBe('peer.unsupported');
    expect(link.sent).toHaveLength(2);
    const odd = volc('ok');
    expect(await refusalOf(tell(odd, [{ url: 'stratum+tcp://a.example:1', user: 'é%20' }]))).toBe('peer.unsupported');
    expect(odd.sent).toEqual([]);
  });

  test('a no is a no; a lost or empty answer is left to be seen', async () => {
    expect(await refusalOf(tell(volc('error')))).toBe('peer.rejected');
    expect(await tell(volc(''))).toEqual({ kind: 'lost-reply' });
    expect(await tell(volc(lostAfterSending()))).toEqual({ kind: 'lost-reply' });
  });
});

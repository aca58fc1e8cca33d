// Makes that copied Bitmain's web (Elphapex, Hammer, VolcMiner): who is who, what stands in their place in odd cases,
// and what they can be told, against simulated devices on real sockets.
import { describe, expect, test } from 'vitest';
import { elphapex } from '../../drivers/elphapex/index.ts';
import { hammer } from '../../drivers/hammer/index.ts';
import { drivers, families } from '../../drivers/index.ts';
import { volcminer } from '../../drivers/volcminer/index.ts';
import { PeerError } from '../../src/base/errors.ts';
import type { Driver } from '../../src/driver/contract.ts';
import { matchDriver } from '../../src/driver/identify.ts';
import { fakeLink, lostAfterSending, refusalOf } from '../unit/drivers/fake-link.ts';
import { acting } from './acting.ts';
import { standing } from './simulated.ts';

const site = standing([elphapex, hammer, volcminer], {
  miners: 12,
  mix: 'elphapex=1,hammer=1,volcminer=1',
  bootS: 0.4,
});

const { act } = acting(elphapex, site);

/** The n-th device of a driver. */
function device(driver: Driver, place = 0) {
  const found = site().farm.devices.filter((entry) => entry.driver === driver.id)[place];
  if (found === undefined) throw new Error(`no ${driver.id} in the farm`);
  return found;
}
type Device = ReturnType<typeof device>;
const look = (driver: Driver, { ip }: Device) => site().read(ip, {}, undefined, driver);
const evidenceOf = ({ ip }: Device, ...ports: number[]) => site().evidenceOf(ip, ports);

describe('who is who', () => {
  test('Elphapex by the words of its login', async () => {
    const found = matchDriver(drivers, await evidenceOf(device(elphapex), 80));
    expect([found?.driver.id, found?.identity]).toEqual(['elphapex', { confidence: 'sure', make: 'Elphapex' }]);
  });

  test('Hammer by TCP alone, and by TCP and web together', async () => {
    for (const ports of [[4028], [80, 4028]]) {
      const found = matchDriver(drivers, await evidenceOf(device(hammer), ...ports));
      expect(found?.driver.id).toBe('hammer');
      expect(found?.identity).toMatchObject({ confidence: 'sure', make: 'Hammer', model: 'D10' });
    }
  });

  test('the web alone proves one of the two and does not tell Hammer from VolcMiner; the login does', async () => {
    for (const [driver, make, model] of [
      [volcminer, 'VolcMiner', 'D1'],
      [hammer, 'Hammer', 'D10'],
    ] as const) {
      const found = matchDriver(drivers, await evidenceOf(device(driver), 80));
      expect([found?.driver.id, found?.identity]).toEqual(['volcminer', { confidence: 'sure' }]);
      const { reading } = await look(volcminer, device(driver));
      expect(reading).toMatchObject({ make, model, hashrateHs: device(driver).truth().hashrate });
    }
  });

  test('VolcMiner by its own words', () => {
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

  test('a name that has Hammer in it somewhere is no Hammer', () => {
    const version = '{"VERSION":[{"Type":"Antminer S19","Miner":"sledgehammer 1"}]}';
    expect(families.familyOf({ version })).toBe('antminer-stock');
  });
});

describe('readings', () => {
  const head = { STATS: [{ elapsed: 9, rate_5s: 1, rate_unit: 'MH/s' }] };
  const board = (fields: object) =>
    elphapex.read({ stats: { STATS: [{ ...head.STATS[0], chain: [{ index: 0, asic_num: 9, ...fields }] }] } }, {})
      .reading.boards?.[0];

  test('Elphapex: thousandths of a degree and plain ones; a clock in no known unit and a count of chips are not told', () => {
    const one = board({ temp_chip: ['61250', '', '60000'], freq_avg: 62_000, hw: 9 });
    expect(one).toMatchObject({ chipTempMaxC: 61.25, chipTempAvgC: 60.625, chips: 9 });
    expect(one).not.toHaveProperty('frequencyMhz');
    expect(one).not.toHaveProperty('hwErrors');
    expect(board({ temp_chip: [61, 60], freq_avg: 1_850 })).toMatchObject({ chipTempMaxC: 61 });
    expect(board({ temp_chip: ['', ''], freq_avg: '' })).not.toHaveProperty('chipTempMaxC');
  });

  test('Elphapex: what the last share was worth is no sum of shares', () => {
    const pool = {
      index: 0,
      url: 'a',
      status: 'Alive',
      accepted: 40,
      diffa: 524_288,
      diffr: 524_288,
      diffs: 0,
      lsdiff: 64,
    };
    const [read] = elphapex.read({ pools: { POOLS: [pool] } }, {}).reading.pools ?? [];
    expect(read).toEqual({
      index: 0,
      url: 'a',
      user: '',
      isAlive: true,
      isActive: true,
      accepted: 40,
      difficulty: 64,
    });
  });

  test('Elphapex: only modes that are known are told, and the clock is never the uptime', () => {
    const mode = (number: unknown) => elphapex.read({ conf: { 'fc-work-mode': number } }, {}).reading.miningMode;
    expect([0, '1', 2, 3].map(mode)).toEqual(['normal', 'sleep', undefined, undefined]);
    expect(elphapex.read({ stats: { ...head, STATUS: { when: 924_785 } } }, {}).reading).not.toHaveProperty(
      'deviceTimeS',
    );
  });

  test('Elphapex: asleep is not mining, whatever the last rate was', () => {
    expect(elphapex.read({ stats: head, conf: { 'fc-work-mode': 1 } }, {}).reading.isMining).toBe(false);
    expect(elphapex.read({ stats: head }, {}).reading.isMining).toBe(true);
  });

  test('the active pool is the first that lives, and nobody’s guess', () => {
    const active = (...states: (string | undefined)[]) =>
      elphapex
        .read({ pools: { POOLS: states.map((status, index) => ({ index, url: 'a', status, priority: index })) } }, {})
        .reading.pools?.map(({ isActive }) => isActive);
    expect(active('Unreachable', 'Alive', 'Alive')).toEqual([false, true, false]);
    expect(active('Unreachable', 'Unreachable')).toEqual([false, false]);
    expect(active('odd', 'Alive')).toEqual([undefined, undefined]);
  });

  test('a VolcMiner that lets us not in is read over its own port, where one is open', async () => {
    const one = device(volcminer, 1);
    one.setFault('wrong-password', true);
    const { ip } = one;
    const link = site().linkAs(ip, 'root', 'ltc@dog');
    const { reading, isLoginRefused } = await site().read(ip, { make: 'VolcMiner', model: 'D1' }, link, volcminer);
    const { hashrate, uptime, hashboards, fans, pools } = one.truth();
    expect({ isLoginRefused, ...reading }).toMatchObject({
      ...{ isLoginRefused: true, make: 'VolcMiner', model: 'D1', firmwareVersion: expect.any(String) },
      ...{ hashrateHs: hashrate, uptimeS: uptime, isMining: true, fans },
      boards: hashboards.map(({ chips }, slot) => ({ slot, chips })),
      pools: pools.map(({ url }) => ({ url })),
    });
    one.setFault('wrong-password', false);
  });

  test('VolcMiner: a fan that reads 0 is left out, an empty place is no board, places keep their number', () => {
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

  test('a VolcMiner that writes a comma too many is read all the same', async () => {
    const sloppy = device(volcminer, 1);
    const { reading, unparsable } = await look(volcminer, sloppy);
    expect(unparsable).toEqual([]);
    expect(reading.boards).toHaveLength(3);
  });
});

describe('a board that died and a fan that stopped', () => {
  test.each([elphapex, hammer, volcminer])('$id', async (driver) => {
    const one = device(driver);
    const before = one.truth().hashboards.length;
    one.setFault('board-dead', true);
    one.setFault('fan-stopped', true);
    const { reading } = await look(driver, one);
    expect(reading.boards?.length ?? 0).toBe(before - 1);
    expect(reading.boards?.map(({ hashrateHs }) => hashrateHs) ?? []).toEqual(
      one.truth().hashboards.map(({ hashrate }) => expect.closeTo(hashrate ?? 0, -6)),
    );
    expect(reading.fans).toEqual(one.truth().fans);
    one.setFault('board-dead', false);
    one.setFault('fan-stopped', false);
  });
});

describe('actions', () => {
  test.each([elphapex, hammer])('$id: the light goes on and off, and is seen', async (driver) => {
    const one = device(driver);
    const miner = acting(driver, site);
    for (const on of [true, false]) {
      expect(await miner.act(one, 'light', { on })).toEqual({ kind: 'accepted', note: on ? 'B000' : 'B100' });
      expect(await miner.shown(one, 'light', { on })).toBe(true);
      expect(await miner.shown(one, 'light', { on: !on })).toBe(false);
    }
    await miner.withFault(one, 'ignores-writes', async () => {
      expect(await miner.act(one, 'light', { on: true })).toEqual({ kind: 'accepted', note: 'B000' });
      expect(await miner.shown(one, 'light', { on: true })).toBe(false);
    });
    expect(await miner.actUnheard(one, 'light', { on: true })).toEqual({ kind: 'lost-reply' });
    expect(await miner.shown(one, 'light', { on: true })).toBe(true);
    await miner.act(one, 'light', { on: false });
  });

  test('Elphapex sleeps and wakes, keeps its pools, and is not restarted for nothing', async () => {
    const one = device(elphapex);
    const { pools } = one.truth();
    const set = (mode: string) => act(one, 'powerMode', { mode });
    expect(await set('normal')).toMatchObject({ kind: 'accepted' });
    expect(one.truth().uptime).toBeGreaterThan(0);
    expect(await set('sleep')).toEqual({ kind: 'accepted', note: 'M000' });
    expect(one.truth()).toMatchObject({ mining_mode: 'sleep', is_mining: false, uptime: 0 });
    expect((await look(elphapex, one)).reading).toMatchObject({ miningMode: 'sleep', isMining: false });
    expect(await set('normal')).toEqual({ kind: 'accepted', note: 'M000' });
    expect(one.truth().mining_mode).toBe('normal');
    expect(one.truth().pools.map(({ url }) => url)).toEqual(pools.map(({ url }) => url));
  });

  test('a mode that it does not have is refused before anything is sent', async () => {
    const link = fakeLink(() => ({}));
    for (const mode of ['low', 'high']) {
      const refused = elphapex.abilities.powerMode?.act(link, { mode }, {});
      expect(await refusalOf(Promise.resolve(refused))).toBe('peer.unsupported');
    }
    expect(link.sent).toEqual([]);
  });

  test('a wrong password is told as such, by every action', async () => {
    for (const driver of [elphapex, hammer, volcminer]) {
      const link = site().linkAs(device(driver).ip, 'root', 'wrong');
      for (const [name, ability] of Object.entries(driver.abilities)) {
        const pools = [{ url: 'stratum+tcp://a.example:1', user: 'w' }];
        const refused = ability.act(link, { on: true, mode: 'sleep', pools }, {});
        expect(await refusalOf(refused), `${driver.id} ${name}`).toBe('peer.auth');
      }
    }
  });

  const conf = { 'fc-work-mode': '0', 'fc-freq-level': '100', pools: [{ url: 'a', user: 'b', pass: 'c' }] };
  const sleep = (answer: Parameters<typeof fakeLink>[0]) => {
    const link = fakeLink(answer);
    return { link, result: Promise.resolve(elphapex.abilities.powerMode?.act(link, { mode: 'sleep' }, {})) };
  };

  test('a yes that changes nothing is a no; a no is a no; a lost answer is left to be seen', async () => {
    const isRead = (request: { readonly via: string }) => 'method' in request && request.method === 'GET';
    const liar = sleep((request) => (isRead(request) ? conf : { stats: 'success', code: 'M000' }));
    expect(await refusalOf(liar.result)).toBe('peer.rejected');
    expect(liar.link.sent).toHaveLength(3);
    const refuser = sleep((request) => (isRead(request) ? conf : { stats: 'error', code: 'M001' }));
    expect(await refusalOf(refuser.result)).toBe('peer.rejected');
    const lost = sleep((request) => {
      if (isRead(request)) return conf;
      throw lostAfterSending();
    });
    expect(await lost.result).toEqual({ kind: 'lost-reply' });
  });

  test('the whole configuration goes back, the mode in the form that it had', async () => {
    let isWritten = false;
    const { link, result } = sleep((request) => {
      if ('json' in request) isWritten = true;
      return 'json' in request ? { code: 'M000' } : { ...conf, 'fc-work-mode': isWritten ? '1' : '0' };
    });
    expect(await result).toEqual({ kind: 'accepted', note: 'M000' });
    expect(link.sent[1]).toMatchObject({ json: { ...conf, 'fc-work-mode': '1' } });
  });

  test('nothing is written over a configuration that could not be read', async () => {
    const { link, result } = sleep(() => ({ 'fc-work-mode': 0 }));
    await expect(result).rejects.toBeInstanceOf(PeerError);
    expect(link.sent).toHaveLength(1);
  });
});

describe('pools', () => {
  const pools = [
    { url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'y' },
    { url: 'stratum+tcp://new-b.example:443', user: 'farm.z', password: 'y' },
  ];
  const act = (driver: Driver, of: Device, wanted: readonly object[] = pools) => {
    const ability = driver.abilities.pools;
    expect(ability?.params.safeParse({ pools: wanted }).success).toBe(true);
    return Promise.resolve(ability?.act(site().link(of.ip), { pools: wanted }, {}));
  };
  const shown = async (driver: Driver, of: Device) =>
    driver.abilities.pools?.shows?.((await look(driver, of)).reading, { pools });

  test.each([elphapex, hammer, volcminer])('$id: are replaced, seen, and not written twice', async (driver) => {
    const one = device(driver, 2);
    expect(await shown(driver, one)).toBe(false);
    const { light_on, mining_mode, hashboards } = one.truth();
    expect(await act(driver, one)).toMatchObject({ kind: 'accepted' });
    expect(one.truth().pools.map(({ url, worker_id }) => [url, worker_id])).toEqual(
      pools.map(({ url, user }) => [url, user]),
    );
    expect(one.truth()).toMatchObject({
      light_on,
      mining_mode,
      hashboards: hashboards.map(({ chip_frequency }) => ({ chip_frequency })),
    });
    expect(await shown(driver, one)).toBe(true);
    expect(await act(driver, one)).toEqual({ kind: 'accepted', note: 'they were so already' });
    expect(driver.abilities.pools?.params.safeParse({ pools: [...pools, ...pools] }).success).toBe(false);
  });

  test.each([elphapex, hammer, volcminer])(
    '$id: a yes that does nothing shows; a no is a matter of permission',
    async (driver) => {
      const one = device(driver, 3);
      one.setFault('ignores-writes', true);
      expect(await act(driver, one)).toMatchObject({ kind: 'accepted' });
      expect(await shown(driver, one)).toBe(false);
      one.setFault('ignores-writes', false);
      one.setFault('write-api-off', true);
      expect(await refusalOf(act(driver, one))).toBe('peer.permission');
      one.setFault('write-api-off', false);
      expect(
        await refusalOf(
          Promise.resolve(driver.abilities.pools?.act(site().linkAs(one.ip, 'root', 'wrong'), { pools }, {})),
        ),
      ).toBe('peer.auth');
    },
  );

  test('a Hammer behind its web alone is not written over with what a VolcMiner wants', async () => {
    const one = device(hammer, 3);
    const before = one.truth().pools;
    expect(await refusalOf(act(volcminer, one))).toMatch(/peer\.(unsupported|rejected)/);
    expect(one.truth().pools).toEqual(before);
  });

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
  const tell = (link: ReturnType<typeof fakeLink>, wanted: readonly object[] = pools) =>
    Promise.resolve(volcminer.abilities.pools?.act(link, { pools: wanted }, {}));

  test('VolcMiner: frequency, voltage and fans go back as they were read, in the order of the page', async () => {
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

  test('VolcMiner: the configuration in quotes, of which nothing is escaped', async () => {
    const quoted =
      '{"code": "200", "data": "{ "cfgs": "[{"pools":[],"freq":"1875","coin-type":"ltc","sram-voltage":"3"}]", ' +
      '"debug": "{"bb_debug_enable": true}", "runmode": "0", "voltage": "1260" }" }';
    const link = volc('ok', { '/cgi-bin/get_miner_confV1.cgi': quoted });
    expect(await tell(link)).toEqual({ kind: 'accepted' });
    expect(link.sent.at(-1)).toMatchObject({
      form: { _bb_freq: '1875', _bb_voltage_customize_value: '1260', _bb_ema: '3', _bb_debug: 'true' },
    });
  });

  test('VolcMiner: a voltage that is not told is not made up, and odd characters are refused before anything is sent', async () => {
    const link = volc('ok', { '/cgi-bin/get_miner_confV1.cgi': { runmode: '0', voltage: '' } });
    expect(await refusalOf(tell(link))).toBe('peer.unsupported');
    expect(link.sent).toHaveLength(2);
    const odd = volc('ok');
    expect(await refusalOf(tell(odd, [{ url: 'stratum+tcp://a.example:1', user: 'é%20' }]))).toBe('peer.unsupported');
    expect(odd.sent).toEqual([]);
  });

  test('VolcMiner: a no is a no; a lost or empty answer is left to be seen', async () => {
    expect(await refusalOf(tell(volc('error')))).toBe('peer.rejected');
    expect(await tell(volc(''))).toEqual({ kind: 'lost-reply' });
    expect(await tell(volc(lostAfterSending()))).toEqual({ kind: 'lost-reply' });
  });
});

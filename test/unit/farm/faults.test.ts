// Faults of simulated devices: each shows at every server of the device, says the same there as the truth does, and
// goes when it is switched off.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAULTS, isFaultName } from '../../../drivers/_farm/faults.ts';
import type { Device, Farm, FaultName } from '../../../fixtures/farm/farm.ts';
import {
  ask,
  askFramed,
  askText,
  errorCode,
  get,
  getWithLogin,
  jsonPage,
  ROOT,
  talk,
  testFarm,
  WEB_PORT,
} from './clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({
    miners: 12,
    mix: 'antminer-b=1,antminer-c=1,whatsminer-2=1,whatsminer-3=1,avalon-a=1,cgminer=1',
  });
});
afterAll(() => farm.stop());

function of(family: string): Device {
  const found = farm.devices.find((device) => device.family === family);
  if (!found) throw new Error(`no ${family} in the farm`);
  return found;
}

async function withFault(device: Device, name: FaultName, work: () => Promise<void> | void, value?: string | number) {
  device.setFault(name, true, value);
  try {
    await work();
  } finally {
    device.setFault(name, false);
  }
}

test('switched on and off, every fault leaves the truth as it was', () => {
  for (const device of farm.devices) {
    const before = device.truth();
    for (const name of Object.keys(FAULTS).filter(isFaultName)) {
      device.setFault(name, true);
      device.truth();
      device.setFault(name, false);
      expect(device.truth(), `${device.family} ${name}`).toEqual(before);
    }
  }
});

describe('the body', () => {
  test('a dead board: gone from an Antminer on TCP and web', async () => {
    const device = of('antminer-b');
    await withFault(device, 'board-dead', async () => {
      const stats = await ask(device.ip, 'stats');
      expect([1, 2, 3].map((n) => stats.at('STATS', 1, `chain_acn${n}`))).toEqual([114, 0, 114]);
      expect(stats.at('STATS', 1, 'chain_rate2')).toBe('');
      expect((await jsonPage(device.ip, '/cgi-bin/stats.cgi')).list('STATS', 0, 'chain')).toHaveLength(2);
      expect(device.truth().hashboards).toHaveLength(2);
    });
  });
  test('a dead board: dead on the list of a Whatsminer and of an Avalon', async () => {
    const [two, three, avalon] = [of('whatsminer-2'), of('whatsminer-3'), of('avalon-a')];
    await withFault(two, 'board-dead', async () => {
      expect((await ask(two.ip, 'edevs')).at('DEVS', 1)).toMatchObject({
        Status: 'Dead',
        'HS RT': 0,
        'Effective Chips': 0,
      });
      expect(two.truth().hashboards[1]).toMatchObject({ hashrate: 0, chips: 0, chip_frequency: null });
    });
    await withFault(
      three,
      'board-dead',
      async () => {
        const status = await askFramed(three.ip, { cmd: 'get.miner.status', param: 'edevs' });
        expect(status.at('msg', 'edevs', 2)).toMatchObject({ status: 'dead', 'effective-chips': 0 });
      },
      2,
    );
    await withFault(avalon, 'board-dead', async () => {
      expect((await ask(avalon.ip, 'estats')).text('STATS', 0, 'MM ID0')).toMatch(
        /Hash Board: 2 .*MGHS\[[\d.]+ 0\.00 [\d.]+\]/,
      );
    });
  });
  test('a stopped fan, with the vendor code where there is one', async () => {
    const [antminer, whatsminer] = [of('antminer-c'), of('whatsminer-2')];
    await withFault(
      antminer,
      'fan-stopped',
      async () => {
        expect((await ask(antminer.ip, 'stats')).at('STATS', 1, 'fan4')).toBe(0);
        expect((await jsonPage(antminer.ip, '/cgi-bin/stats.cgi')).at('STATS', 0, 'fan', 3)).toBe(0);
        expect(antminer.truth().fans[3]).toEqual({ index: 3, rpm: 0 });
      },
      3,
    );
    await withFault(whatsminer, 'fan-stopped', async () => {
      expect((await ask(whatsminer.ip, 'summary')).at('SUMMARY', 0, 'Fan Speed Out')).toBe(0);
      expect((await ask(whatsminer.ip, 'get_error_code')).at('Msg', 'error_code', 0, '131')).toMatch(/^\d{4}-/);
      expect(whatsminer.truth().errors).toEqual([{ code: '131' }]);
    });
  });
  test('hot is hot enough for a limit of 95 degrees, everywhere', () => {
    for (const device of farm.devices.filter(({ family }) => family !== 'cgminer')) {
      expect(device.truth().temp).toBeLessThan(90);
      device.setFault('hot', true);
      expect(device.truth().temp, device.family).toBeGreaterThan(95);
      device.setFault('hot', false);
    }
  });
  test('dead pools at every server', async () => {
    const [antminer, three] = [of('antminer-b'), of('whatsminer-3')];
    await withFault(antminer, 'pool-dead', async () => {
      expect((await ask(antminer.ip, 'pools')).at('POOLS', 0)).toMatchObject({
        Status: 'Dead',
        'Stratum Active': false,
      });
      expect((await jsonPage(antminer.ip, '/cgi-bin/pools.cgi')).at('POOLS', 0, 'status')).toBe('Dead');
    });
    await withFault(three, 'pool-dead', async () => {
      const status = await askFramed(three.ip, { cmd: 'get.miner.status', param: 'pools' });
      expect(status.at('msg', 'pools', 0)).toMatchObject({ status: 'dead', 'stratum-active': false });
    });
  });
  test('a power supply that failed, where the family tells', () => {
    expect(of('whatsminer-2').truth().errors).toEqual([]);
    for (const [family, code] of [
      ['whatsminer-2', '210'],
      ['whatsminer-3', '210'],
      ['avalon-a', 'PS:2'],
      ['antminer-c', 'V:1'],
    ] as const) {
      const device = of(family);
      device.setFault('psu-fault', true);
      expect(device.truth().errors).toEqual([{ code }]);
      device.setFault('psu-fault', false);
    }
  });
  test('a low hashrate is a share of the normal one', () => {
    const device = of('avalon-a');
    const normal = device.truth().hashrate ?? 0;
    device.setFault('low-hashrate', true, 0.7);
    expect((device.truth().hashrate ?? 0) / normal).toBeCloseTo(0.7, 3);
    device.setFault('low-hashrate', false);
  });
});

describe('the manner of answering', () => {
  test('hangs: connections are taken and nothing comes, by any server', async () => {
    const device = of('antminer-b');
    await withFault(device, 'hangs', async () => {
      expect(await errorCode(talk(device.ip, 4028, '{"command":"version"}', 150))).toContain('silent');
      expect(await errorCode(talk(device.ip, WEB_PORT, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 150))).toContain('silent');
    });
    expect((await ask(device.ip, 'version')).at('VERSION', 0, 'API')).toBe('3.1');
  });
  test('slow: late, and right', async () => {
    const [device, three] = [of('cgminer'), of('whatsminer-3')];
    for (const one of [device, three]) one.setFault('slow', true, 0.2);
    const started = performance.now();
    await Promise.all([ask(device.ip, 'summary'), askFramed(three.ip, { cmd: 'get.device.info' })]);
    expect(performance.now() - started).toBeGreaterThan(190);
    for (const one of [device, three]) one.setFault('slow', false);
  });
  test('garbage is no JSON and ends', async () => {
    const device = of('avalon-a');
    await withFault(device, 'garbage', async () => {
      const text = await askText(device.ip, { command: 'version' });
      expect(text.length).toBeGreaterThan(60);
      expect(text).not.toMatch(/[{}]|AVALON/i);
      expect((await get(device.ip, '/')).body).not.toContain('Avalon');
    });
  });
  test('truncated answers stop in the middle, on TCP, in frames and on the web', async () => {
    const [antminer, three] = [of('antminer-b'), of('whatsminer-3')];
    const whole = await askText(antminer.ip, { command: 'summary' });
    await withFault(antminer, 'truncated', async () => {
      const cut = await askText(antminer.ip, { command: 'summary' });
      expect(whole.startsWith(cut)).toBe(true);
      expect(cut.length).toBeLessThan(whole.length);
      expect(await errorCode(getWithLogin(antminer.ip, '/cgi-bin/stats.cgi', ROOT))).toBe('ECONNRESET');
    });
    await withFault(three, 'truncated', async () => {
      await expect(askFramed(three.ip, { cmd: 'get.device.info' })).rejects.toThrow('another length');
    });
  });
  test('wrong-password: the old login opens nothing, reads without login go on', async () => {
    const device = of('antminer-b');
    await withFault(device, 'wrong-password', async () => {
      expect((await getWithLogin(device.ip, '/cgi-bin/get_system_info.cgi', ROOT)).status).toBe(401);
      expect((await ask(device.ip, 'version')).at('VERSION', 0, 'API')).toBe('3.1');
      expect(device.login?.password).not.toBe('root');
      expect((await getWithLogin(device.ip, '/', device.login ?? ROOT)).status).toBe(200);
    });
  });
});

describe('identity and time', () => {
  test('a duplicate MAC is that of the device before, or of the one that is named', async () => {
    const [first, second, third] = farm.devices;
    if (!first || !second || !third) throw new Error('three devices wanted');
    await withFault(second, 'duplicate-mac', () => expect(second.truth().mac).toBe(first.truth().mac));
    await withFault(second, 'duplicate-mac', () => expect(second.truth().mac).toBe(third.truth().mac), third.ip);
    expect(new Set(farm.devices.map((device) => device.truth().mac)).size).toBe(farm.devices.length - 1);
    const antminer = of('antminer-b');
    await withFault(
      antminer,
      'duplicate-mac',
      async () => {
        expect((await jsonPage(antminer.ip, '/cgi-bin/get_system_info.cgi')).at('macaddr')).toBe(antminer.truth().mac);
      },
      third.ip,
    );
  });
});

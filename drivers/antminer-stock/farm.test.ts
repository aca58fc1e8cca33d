// A simulated Antminer against its protocols: shapes of both generations, a login that is really checked, and one truth
// behind every server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Device, Farm } from '../../fixtures/farm/farm.ts';
import {
  ask,
  askText,
  challengeOf,
  digestHeader,
  get,
  getWithLogin,
  jsonPage,
  ROOT,
  testFarm,
} from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 10, mix: 'antminer-b=3,antminer-c=2', bootS: 0.4 });
});
afterAll(() => farm.stop());

function device(model: string): Device {
  const found = farm.devices.find(({ spec }) => spec.model === model);
  if (!found) throw new Error(`no ${model} in the farm`);
  return found;
}

describe('TCP 4028', () => {
  test('answers end with NUL and close the connection', async () => {
    expect(await askText(device('S19 Pro').ip, '{"command":"version"}')).toMatch(/"id":1\}$/);
  });
  test('version names type and build date', async () => {
    const version = await ask(device('S19j Pro').ip, 'version');
    expect(version.at('VERSION', 0)).toMatchObject({
      Type: 'Antminer S19j Pro',
      CompileTime: 'Thu Jul 21 11:02:17 CST 2022',
    });
  });
  test('classic stats: three chains, a placeholder for the fourth, rates as text', async () => {
    const { ip } = device('S19 Pro');
    const stats = await ask(ip, 'stats');
    expect(stats.at('STATS', 0, 'Type')).toBe('Antminer S19 Pro');
    expect(stats.at('STATS', 1)).toMatchObject({ chain_acn4: 0, chain_rate4: '', temp_chip4: '0-0-0-0', fan_num: 4 });
    const boards = [1, 2, 3].map((n) => stats.number('STATS', 1, `chain_rate${n}`) * 1e9);
    expect(boards).toEqual(
      device('S19 Pro')
        .truth()
        .hashboards.map((board) => board.hashrate),
    );
    expect(stats.text('STATS', 1, 'chain_acs1').match(/o/g)).toHaveLength(114);
  });
  test('an early build forgets a comma in stats and prints rates as text', async () => {
    const text = await askText(device('S19').ip, { command: 'stats' });
    expect(() => JSON.parse(text)).toThrow();
    const mended: { STATS: Record<string, unknown>[] } = JSON.parse(text.replace('}{', '},{'));
    expect(mended.STATS[1]?.['GHS 5s']).toMatch(/^\d+\.\d\d$/);
  });
  test('new_api gives the web form on generation C and is ignored on B', async () => {
    const c = await ask(device('S21').ip, 'stats', { new_api: true });
    expect(c.list('STATS', 0, 'chain')).toHaveLength(3);
    const b = await ask(device('S19 Pro').ip, 'stats', { new_api: true });
    expect(b.at('STATS', 1, 'chain_acn1')).toBe(114);
  });
  test('joined commands are answered together', async () => {
    const joined = await ask(device('S19 Pro').ip, 'summary+pools+nonsense');
    expect(joined.at('summary', 0, 'SUMMARY', 0, 'Elapsed')).toBe(device('S19 Pro').truth().uptime);
    expect(joined.list('pools', 0, 'POOLS')).toHaveLength(3);
    expect(joined.at('nonsense', 0, 'STATUS', 0)).toMatchObject({ STATUS: 'E', Code: 14 });
  });
  test('nonsense is refused in its own words', async () => {
    const { ip } = device('S19 Pro');
    expect((await ask(ip, 'fly')).at('STATUS', 0)).toMatchObject({ STATUS: 'E', Code: 14, Msg: 'Invalid command' });
    expect(JSON.parse(await askText(ip, '{"command":}'))).toMatchObject({ STATUS: [{ Code: 23 }] });
    expect(JSON.parse(await askText(ip, '{"x":1}'))).toMatchObject({ STATUS: [{ Code: 24 }] });
  });
  test('unset pools are there with empty texts', async () => {
    const pools = await ask(device('S19 Pro').ip, 'pools');
    expect(pools.at('POOLS', 2)).toMatchObject({ URL: '', User: '', Status: 'Dead' });
    expect(device('S19 Pro').truth().pools).toHaveLength(2);
  });
});

describe('web', () => {
  test('asks for a digest login in the realm that identifies the family', async () => {
    const page = await get(device('S19 Pro').ip, '/');
    expect(page.status).toBe(401);
    expect(page.headers['www-authenticate']).toMatch(
      /^Digest realm="antMiner Configuration", nonce="\w+", qop="auth"$/,
    );
  });
  test('lets nobody in with a wrong password, a wrong path, an invented nonce or plain words', async () => {
    const { ip } = device('S19 Pro');
    const path = '/cgi-bin/get_system_info.cgi';
    const challenge = await challengeOf(ip);
    const statusWith = async (authorization: string) => (await get(ip, path, { authorization })).status;
    expect(await statusWith(digestHeader(challenge, { user: 'root', password: 'no' }, 'GET', path))).toBe(401);
    expect(await statusWith(digestHeader(challenge, ROOT, 'GET', '/'))).toBe(401);
    expect(await statusWith(digestHeader(challenge, ROOT, 'POST', path))).toBe(401);
    expect(await statusWith('Basic cm9vdDpyb290')).toBe(401);
    const invented = await get(ip, path, {
      authorization: digestHeader(challenge.replace(/nonce="\w+"/, 'nonce="abc"'), ROOT, 'GET', path),
    });
    expect(invented.headers['www-authenticate']).toContain('stale=true');
    expect(await statusWith(digestHeader(challenge, ROOT, 'GET', path))).toBe(200);
  });
  test('a nonce may be used again with a growing count, and never with the same', async () => {
    const { ip } = device('S19 Pro');
    const challenge = await challengeOf(ip);
    const statusAt = async (count: number) =>
      (await get(ip, '/', { authorization: digestHeader(challenge, ROOT, 'GET', '/', count) })).status;
    expect([await statusAt(1), await statusAt(2), await statusAt(2), await statusAt(1), await statusAt(5)]).toEqual([
      200, 200, 401, 401, 200,
    ]);
  });
  test('miner_type.cgi exists on all but early builds', async () => {
    expect((await getWithLogin(device('S19').ip, '/cgi-bin/miner_type.cgi', ROOT)).status).toBe(404);
    expect((await jsonPage(device('S21').ip, '/cgi-bin/miner_type.cgi')).value).toEqual({
      miner_type: 'Antminer S21',
      subtype: 'AMLCtrl_BHB68601',
      fw_version: 'FR-1.12(251009-S21)',
    });
  });
  test('early builds have no serial number, later ones do', async () => {
    const early = await jsonPage(device('S19').ip, '/cgi-bin/get_system_info.cgi');
    expect(early.at('serinum')).toBeUndefined();
    const later = await jsonPage(device('S19 Pro').ip, '/cgi-bin/get_system_info.cgi');
    expect(later.at('serinum')).toBe(device('S19 Pro').truth().serial_number);
  });
  test('the light goes on and off', async () => {
    const { ip } = device('S21');
    const post = (blink: string) =>
      jsonPage(ip, '/cgi-bin/blink.cgi', ROOT, { method: 'POST', body: JSON.stringify({ blink }) });
    expect((await post('true')).at('code')).toBe('B000');
    expect((await jsonPage(ip, '/cgi-bin/get_blink_status.cgi')).at('blink')).toBe(true);
    expect(device('S21').truth().light_on).toBe(true);
    expect((await post('false')).at('code')).toBe('B100');
    expect(device('S21').truth().light_on).toBe(false);
  });
  test('generation B refuses half a configuration, C takes it', async () => {
    const body = JSON.stringify({ 'miner-mode': 3 });
    const write = (ip: string) => jsonPage(ip, '/cgi-bin/set_miner_conf.cgi', ROOT, { method: 'POST', body });
    expect((await write(device('S19j Pro').ip)).at('stats')).toBe('error');
    expect(device('S19j Pro').truth().mining_mode).toBe('normal');
    expect((await write(device('S21 Pro').ip)).at('code')).toBe('M000');
    expect(device('S21 Pro').truth()).toMatchObject({ mining_mode: 'low', uptime: 0, hashrate: 0, is_mining: false });
  });
  test('the helper on port 6060 tells power, on the builds that have it', async () => {
    const { ip } = device('S21');
    expect((await get(ip, '/miner_power', { port: 6060 })).body).toBe(`miner_power: ${device('S21').truth().power}`);
    expect((await get(ip, '/nothing', { port: 6060 })).body).toBe('error 6060 cmd');
    await expect(get(device('S21 Pro').ip, '/miner_power', { port: 6060 })).rejects.toThrow('ECONNREFUSED');
    expect(device('S21 Pro').truth().power).toBeNull();
  });
});

test('no sensor of a cold machine is colder than the air that comes in', async () => {
  const { ip } = device('S21 Pro');
  await jsonPage(ip, '/cgi-bin/set_miner_conf.cgi', ROOT, {
    method: 'POST',
    body: JSON.stringify({ 'miner-mode': 1 }),
  });
  const stats = await jsonPage(ip, '/cgi-bin/stats.cgi');
  const sensors = [0, 1, 2].flatMap((chain) =>
    ['temp_pcb', 'temp_chip', 'temp_pic'].flatMap((name) =>
      [0, 1, 2, 3].map((index) => stats.number('STATS', 0, 'chain', chain, name, index)),
    ),
  );
  expect(Math.min(...sensors)).toBeGreaterThanOrEqual(20);
  expect(Math.max(...sensors)).toBeLessThan(45);
});

test('every server tells the truth', async () => {
  for (const one of farm.devices) {
    const truth = one.truth();
    const summary = await ask(one.ip, 'summary');
    const web = await jsonPage(one.ip, '/cgi-bin/summary.cgi');
    const stats = await jsonPage(one.ip, '/cgi-bin/stats.cgi');
    const pools = await jsonPage(one.ip, '/cgi-bin/pools.cgi');
    const tcpPools = await ask(one.ip, 'pools');
    expect(summary.number('SUMMARY', 0, 'GHS 5s') * 1e9).toBe(truth.hashrate);
    expect(web.number('SUMMARY', 0, 'rate_5s') * 1e9).toBe(truth.hashrate);
    expect(web.number('SUMMARY', 0, 'rate_ideal') * 1e9).toBe(truth.expected_hashrate);
    expect(summary.at('SUMMARY', 0, 'Elapsed')).toBe(truth.uptime);
    expect(stats.list('STATS', 0, 'chain').map((chain) => chain.number('rate_real') * 1e9)).toEqual(
      truth.hashboards.map((board) => board.hashrate),
    );
    expect(
      Math.max(...stats.list('STATS', 0, 'chain').flatMap((c) => c.list('temp_chip').map((t) => t.number()))),
    ).toBe(truth.temp);
    expect(stats.at('STATS', 0, 'fan')).toEqual(truth.fans.map((fan) => fan.rpm));
    expect(pools.at('POOLS', 0, 'diffa')).toBe(truth.pools[0]?.difficulty_accepted);
    expect(tcpPools.at('POOLS', 0, 'Difficulty Accepted')).toBe(truth.pools[0]?.difficulty_accepted);
    expect((await jsonPage(one.ip, '/cgi-bin/get_network_info.cgi')).at('macaddr')).toBe(truth.mac);
  }
});

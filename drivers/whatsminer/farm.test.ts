// Simulated Whatsminers against API 2 and API 3. The agent's own transport writes here, so that both sides of the
// ciphers check each other.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Device, Farm } from '../../fixtures/farm/farm.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import { createTransport, type Transport } from '../../src/transport/transport.ts';
import { ask, askFramed, askText, errorCode, get, Json, testFarm } from '../../test/unit/farm/clients.ts';

let farm: Farm;
let transport: Transport;
beforeAll(async () => {
  farm = await testFarm({ miners: 10, mix: 'whatsminer-2=3,whatsminer-3=2', bootS: 0.05 });
  transport = createTransport({ clock: systemClock, log: silentLog });
});
afterAll(async () => {
  await transport.close();
  await farm.stop();
});

function device(model: string): Device {
  const found = farm.devices.find(({ spec }) => spec.model === model);
  if (!found) throw new Error(`no ${model} in the farm`);
  return found;
}
const linkTo = ({ ip, login }: Device, password = login?.password ?? '') =>
  transport.link(ip, { user: login?.user ?? '', password: new Secret(password) });
const api2 = () => device('M30S++ VH60');
const api3 = () => device('M60S VK40');

describe('API 2 reads', () => {
  test('take cmd as well as command', async () => {
    const { ip } = api2();
    const bySummary = new Json(JSON.parse(await askText(ip, { cmd: 'summary' })));
    expect(bySummary.at('SUMMARY', 0, 'MAC')).toBe(api2().truth().mac);
    expect((await ask(ip, 'summary')).at('SUMMARY', 0, 'MAC')).toBe(api2().truth().mac);
  });
  test('answer version with an error that names nothing, and devdetails with the driver', async () => {
    const { ip } = api2();
    expect(await askText(ip, { command: 'version' })).not.toMatch(/btminer|whatsminer/i);
    expect((await ask(ip, 'devdetails')).at('DEVDETAILS', 0)).toMatchObject({
      Driver: 'bitmicro',
      Model: 'M30S++_VH60',
    });
  });
  test('join what may be joined and refuse the whole of anything else', async () => {
    const { ip } = api2();
    expect((await ask(ip, 'summary+pools')).at('pools', 0, 'POOLS', 0, 'POOL')).toBe(1);
    expect((await ask(ip, 'summary+get_psu')).value).toMatchObject({ STATUS: 'E', Code: 14 });
  });
  test('error lists are broken JSON on API 2.0.4 as soon as there is one', async () => {
    const broken = device('M50 VH50');
    expect((await ask(broken.ip, 'get_error_code')).at('Msg', 'error_code')).toEqual([]);
    broken.setFault('vendor-error', true, 2010);
    const text = await askText(broken.ip, { cmd: 'get_error_code' });
    expect(text).toMatch(/"error_code":\["2010":"\d{4}-/);
    expect(() => JSON.parse(text)).toThrow();
    expect(broken.truth().errors).toEqual([{ code: '2010' }]);
  });
  test('the web sends to https', async () => {
    const { ip } = api2();
    const page = await get(ip, '/');
    expect([page.status, page.headers.location]).toEqual([307, `https://${ip}/`]);
  });
  test('three connections are served at once, eight wait, the next is reset', async () => {
    const one = api2();
    one.setFault('slow', true, 0.5);
    const results = await Promise.all(Array.from({ length: 12 }, () => errorCode(ask(one.ip, 'summary'))));
    one.setFault('slow', false);
    expect(results.filter((code) => code === undefined)).toHaveLength(11);
    expect(one.maxInFlight).toBe(3);
  });
});

describe('API 2 writes', () => {
  const light = (on: boolean) =>
    on
      ? {
          via: 'whatsminer2-write' as const,
          cmd: 'set_led',
          params: { color: 'red', period: '200', duration: '100', start: '0' },
        }
      : { via: 'whatsminer2-write' as const, cmd: 'set_led', params: { param: 'auto' } };

  test('are done when password, token and cipher are right', async () => {
    expect(await linkTo(api2()).send(light(true))).toMatchObject({ STATUS: 'S', Code: 131 });
    expect(api2().truth().light_on).toBe(true);
    await linkTo(api2()).send(light(false));
    expect(api2().truth().light_on).toBe(false);
  });
  test('are refused with a wrong password', async () => {
    const one = device('M30S+ VE40');
    expect(await errorCode(linkTo(one, 'wrong').send(light(true)))).toBe('peer.auth');
    expect(one.truth().light_on).toBe(false);
  });
  test('are refused in plain text', async () => {
    expect(JSON.parse(await askText(api2().ip, { cmd: 'reboot' }))).toMatchObject({ STATUS: 'E', Code: 45 });
    expect(api2().reboots).toBe(0);
  });
  test('are refused with bytes that are no cipher and with a cipher that nobody asked a token for', async () => {
    const { ip } = api2();
    expect(JSON.parse(await askText(ip, { enc: 1, data: '***' }))).toMatchObject({ Code: 137 });
    expect(JSON.parse(await askText(ip, { enc: 1, data: 'OBWQ/fT6sM2SyAp2fiYauw==' }))).toMatchObject({ Code: 135 });
  });
  test('are refused as a whole while the write API is off', async () => {
    const one = api2();
    one.setFault('write-api-off', true);
    expect(JSON.parse(await askText(one.ip, { cmd: 'get_token' }))).toMatchObject({ STATUS: 'E', Code: 45 });
    one.setFault('write-api-off', false);
  });
  test('sixteen tokens live at once for a client, the seventeenth is refused', async () => {
    const last = farm.devices.filter(({ family }) => family === 'whatsminer-2').at(-1);
    const codes: unknown[] = [];
    for (let n = 0; n < 17; n++)
      codes.push(new Json(JSON.parse(await askText(last?.ip ?? '', { cmd: 'get_token' }))).at('Code'));
    expect(codes).toEqual([...Array.from({ length: 16 }, () => 134), 136]);
  });
});

describe('API 3', () => {
  test('reads come in frames, whole or by section', async () => {
    const { ip } = api3();
    expect((await askFramed(ip, { cmd: 'get.device.info' })).at('msg', 'miner', 'type')).toBe('M60S_VK40');
    const salt = await askFramed(ip, { cmd: 'get.device.info', param: 'salt' });
    expect(salt.at('msg', 'salt')).toMatch(/^[A-Za-z]{8}$/);
    expect(salt.at('msg', 'miner')).toBeUndefined();
    expect(
      (await askFramed(ip, { cmd: 'get.miner.status', param: 'summary+pools' })).list('msg', 'pools'),
    ).toHaveLength(2);
    expect((await askFramed(ip, { cmd: 'no.such' })).at('code')).toBe(-1);
  });
  test('a frame may come in pieces', async () => {
    const { ip } = api3();
    const { connect } = await import('node:net');
    const reply = await new Promise<Buffer>((resolve, reject) => {
      const chunks: Buffer[] = [];
      const frame = Buffer.from(`\x1b\0\0\0${'{"cmd":"get.device.info" } '}`, 'latin1');
      const socket = connect({ host: ip, port: 4433 }, () => {
        socket.write(frame.subarray(0, 3));
        systemClock.after(20, () => socket.write(frame.subarray(3)));
      });
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => resolve(Buffer.concat(chunks)));
    });
    expect(reply.toString('utf8', 4)).toContain('"code":0');
  });
  test('plain reads on 4028 are answered by some firmware only, and never a token', async () => {
    expect(await errorCode(ask(api3().ip, 'summary'))).toBe('ECONNREFUSED');
    const old = farm.devices.find(({ spec }) => spec.model === 'M50S VK20');
    expect((await ask(old?.ip ?? '', 'summary')).at('SUMMARY', 0, 'MAC')).toBe(old?.truth().mac);
    expect(JSON.parse(await askText(old?.ip ?? '', { cmd: 'get_token' }))).toMatchObject({ STATUS: 'E', Code: 45 });
  });
  test('writes are done with a right token and refused with a wrong password, account, time or command', async () => {
    const one = api3();
    const info = await askFramed(one.ip, { cmd: 'get.device.info', param: 'salt' });
    const ts = info.number('when');
    const salt = info.text('msg', 'salt');
    const token = (cmd: string, password: string, at: number) =>
      createHash('sha256').update(`${cmd}${password}${salt}${at}`).digest('base64').slice(0, 8);
    const cmd = 'set.system.led';
    const param = [{ color: 'red', period: 60, duration: 20, start: 0 }];
    const write = async (more: object) =>
      (await askFramed(one.ip, { cmd, param, ts, account: 'super', ...more })).at('code');
    expect(await write({ token: token(cmd, 'wrong', ts) })).toBe(-4);
    expect(await write({ token: token(cmd, 'super', ts), account: 'user1' })).toBe(-4);
    expect(await write({ token: token(cmd, 'super', ts - 300), ts: ts - 300 })).toBe(-4);
    expect(await write({ token: token('set.system.reboot', 'super', ts) })).toBe(-4);
    expect(one.truth().light_on).toBe(false);
    expect(await write({ token: token(cmd, 'super', ts) })).toBe(0);
    expect(one.truth().light_on).toBe(true);
  });
  test('pools come sealed and are stored', async () => {
    const one = api3();
    const param = [{ pool: 'stratum+tcp://new.example:1', worker: 'me.1', passwd: 'x' }];
    const send = (isEncrypted: boolean) =>
      linkTo(one).send({ via: 'whatsminer3-write', cmd: 'set.miner.pools', param, isEncrypted });
    await errorCode(send(false));
    expect(one.truth().pools).toHaveLength(2);
    await send(true);
    expect(one.truth().pools).toMatchObject([{ url: 'stratum+tcp://new.example:1', worker_id: 'me.1' }]);
  });
});

test('every server tells the truth', async () => {
  for (const one of farm.devices) {
    const truth = one.truth();
    if (one.family === 'whatsminer-2') {
      const summary = await ask(one.ip, 'summary');
      expect(summary.number('SUMMARY', 0, 'HS RT') * 1e6).toBe(truth.hashrate);
      expect(summary.number('SUMMARY', 0, 'Factory GHS') * 1e9).toBe(truth.expected_hashrate);
      expect(summary.at('SUMMARY', 0, 'Power')).toBe(truth.power);
      expect(summary.at('SUMMARY', 0, 'Chip Temp Max')).toBe(truth.temp);
      const devs = (await ask(one.ip, 'edevs')).list('DEVS');
      expect(devs.map((dev) => [dev.at('PCB SN'), dev.number('HS RT') * 1e6, dev.at('Effective Chips')])).toEqual(
        truth.hashboards.map((board) => [board.serial_number, board.hashrate, board.chips]),
      );
      expect((await ask(one.ip, 'get_miner_info')).at('Msg')).toMatchObject({
        mac: truth.mac,
        minersn: truth.serial_number,
        hostname: truth.hostname,
      });
      continue;
    }
    const status = await askFramed(one.ip, { cmd: 'get.miner.status', param: 'summary+edevs' });
    expect(status.number('msg', 'summary', 'hash-realtime') * 1e12).toBe(truth.hashrate);
    expect(status.at('msg', 'summary', 'power-realtime')).toBe(truth.power);
    expect(status.list('msg', 'edevs').map((dev) => dev.number('hash-realtime') * 1e12)).toEqual(
      truth.hashboards.map((board) => board.hashrate),
    );
    const info = await askFramed(one.ip, { cmd: 'get.device.info' });
    expect([info.at('msg', 'network', 'mac'), info.at('msg', 'miner', 'miner-sn')]).toEqual([
      truth.mac,
      truth.serial_number,
    ]);
  }
});

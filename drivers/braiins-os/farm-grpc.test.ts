// The gRPC face of the simulated Braiins OS over real HTTP/2: it tells and does what the other faces tell and do, in
// the field numbers of the published messages.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Device, Farm, FaultName } from '../../fixtures/farm/farm.ts';
import { errorCode, get, Json, talk, testFarm } from '../../test/unit/farm/clients.ts';
import { type CallOptions, callGrpc, type Proto } from '../../test/unit/farm/grpc-client.ts';
import { decode, encode, inner, list, text, uint } from '../_farm/servers/protobuf.ts';

const TUNED = 'S19 XP';
const UNTUNED = 'S21';
const GRAPHQL = 'S21+';
const OK = 0;
const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const FAILED_PRECONDITION = 9;
const UNIMPLEMENTED = 12;
const INTERNAL = 13;
const UNAUTHENTICATED = 16;

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 5, mix: 'braiins-os', bootS: 0.2 });
});
afterAll(() => farm.stop());

function of(model: string): Device {
  const device = farm.devices.find(({ spec }) => spec.model === model);
  if (device === undefined) throw new Error(`no ${model}`);
  return device;
}

const LOGIN = { username: text(1), password: text(2) };
const login = (ip: string, username = 'root', password = 'any') =>
  callGrpc(ip, '/braiins.bos.v1.AuthenticationService/Login', { body: encode(LOGIN, { username, password }) });
const call = (ip: string, method: string, options?: CallOptions) => callGrpc(ip, `/braiins.bos.v1.${method}`, options);

async function logIn(ip: string): Promise<string> {
  return (await login(ip)).message?.text(1) ?? '';
}

async function tell(model: string, method: string, body: Buffer = Buffer.alloc(0)): Promise<Proto> {
  const { ip } = of(model);
  const { status, message } = await call(ip, method, { token: await logIn(ip), body });
  if (status !== OK || message === undefined) throw new Error(`${method}: status ${status}`);
  return message;
}

async function withFault(device: Device, fault: FaultName, run: () => Promise<void>): Promise<void> {
  device.setFault(fault, true);
  await run();
  device.setFault(fault, false);
}

test('the login gives the same token as header and in the message; the version of the API needs none', async () => {
  const { ip } = of(TUNED);
  const { status, headers, message } = await login(ip);
  expect(status).toBe(OK);
  expect(message?.text(1)).toMatch(/^[a-z2-9]{24}$/);
  expect(headers.authorization).toBe(message?.text(1));
  expect(message?.number(2)).toBe(3_600);
  const version = await callGrpc(ip, '/braiins.bos.ApiVersionService/GetApiVersion');
  // The patch is 0, and zeros are not sent.
  expect([version.status, version.message?.number(1), version.message?.sent]).toEqual([OK, 1, [1, 2]]);
});

test('a token opens REST as well', async () => {
  const device = of(TUNED);
  const { ip } = device;
  const page = await get(ip, '/api/v1/network', { authorization: await logIn(ip) });
  expect(new Json(JSON.parse(page.body)).text('mac_address').toUpperCase()).toBe(device.truth().mac);
});

describe.each([TUNED, UNTUNED, GRAPHQL])('%s', (model) => {
  test('says who it is', async () => {
    const truth = of(model).truth();
    const details = await tell(model, 'MinerService/GetMinerDetails');
    expect(details.text(7)?.toUpperCase()).toBe(truth.mac);
    expect(details.text(2, 3)).toBe(`Antminer ${model}`);
    expect(details.text(5, 1)).toBe(truth.firmware_version);
    expect(details.text(6)).toBe(truth.hostname);
    // Absent, not empty, where it has none; of the power supply the revision is known and the serial number is not.
    expect(details.text(16)).toBe(truth.serial_number ?? undefined);
    expect(details.sent.includes(16)).toBe(model === UNTUNED);
    expect(details.sent.includes(14)).toBe(model !== GRAPHQL);
    if (model !== GRAPHQL) expect(details.at(14)?.sent).toEqual([1, 4, 5, 6]);
    expect([details.number(10), details.number(11)]).toContain(truth.uptime);
    expect(details.number(12)).toBe(2);
  });

  test('is read as it is', async () => {
    const truth = of(model).truth();
    const { hashboards } = truth;
    const boards = (await tell(model, 'MinerService/GetHashboards')).all(1);
    expect(boards.map((board) => (board.number(8, 1, 1, 1) ?? 0) * 1e9)).toEqual(
      hashboards.map(({ hashrate }) => expect.closeTo(hashrate ?? 0, -3)),
    );
    expect(boards.map((board) => board.number(3, 1))).toEqual(hashboards.map(({ chips }) => chips));
    expect(boards.map((board) => (board.number(5, 1) ?? 0) / 1e6)).toEqual(
      hashboards.map(({ chip_frequency }) => chip_frequency),
    );
    expect(boards.map((board) => board.text(12))).toEqual(hashboards.map(({ serial_number }) => serial_number));
    expect(Math.max(...boards.map((board) => board.number(6, 3, 1) ?? 0))).toBe(truth.temp);
    const stats = await tell(model, 'MinerService/GetMinerStats');
    expect((stats.number(2, 1, 1, 1) ?? 0) * 1e9).toBeCloseTo(truth.hashrate ?? 0, -3);
    expect(stats.number(3, 1, 1)).toBe(truth.power);
    const fans = (await tell(model, 'CoolingService/GetCoolingState')).all(1);
    expect(fans.map((fan) => [fan.number(1), fan.number(2)])).toEqual(truth.fans.map(({ index, rpm }) => [index, rpm]));
    const pools = (await tell(model, 'PoolService/GetPoolGroups')).at(1)?.all(4);
    expect(pools?.map((pool) => [pool.text(2), pool.text(3)])).toEqual(
      truth.pools.map(({ url, worker_id }) => [url, worker_id]),
    );
  });
});

test('a board that has died keeps its place, with no chips and without sensors', async () => {
  await withFault(of(TUNED), 'board-dead', async () => {
    const [, dead] = (await tell(TUNED, 'MinerService/GetHashboards')).all(1);
    // The count and the rate are there and zero; temperatures, frequency and voltage are not there.
    expect([dead?.at(3)?.sent, dead?.at(8, 1, 1)?.sent]).toEqual([[], []]);
    expect([4, 5, 6, 7, 10, 11].filter((no) => dead?.sent.includes(no))).toEqual([]);
  });
});

test('without a right login nothing is told and nothing is done', async () => {
  const device = of(TUNED);
  await withFault(device, 'wrong-password', async () => {
    expect(await login(device.ip, 'root', 'guess')).toMatchObject({ status: UNAUTHENTICATED, message: undefined });
  });
  expect(await login(device.ip, 'admin')).toMatchObject({ status: UNAUTHENTICATED });
  for (const method of ['MinerService/GetMinerDetails', 'ActionsService/Reboot', 'ActionsService/PauseMining']) {
    expect(await call(device.ip, method)).toMatchObject({ httpStatus: 200, status: UNAUTHENTICATED });
    expect(await call(device.ip, method, { token: 'stale' })).toMatchObject({ status: UNAUTHENTICATED });
  }
  expect(device.truth().is_mining).toBe(true);
});

test('the light, sleep, the power target and the pools are those of the device', async () => {
  const device = of(TUNED);
  const on = encode({ enable: uint(1) }, { enable: 1 });
  expect((await tell(TUNED, 'ActionsService/SetLocateDeviceStatus', on)).number(1)).toBe(1);
  expect(device.truth().light_on).toBe(true);
  expect((await tell(TUNED, 'ActionsService/GetLocateDeviceStatus')).number(1)).toBe(1);

  expect((await tell(TUNED, 'ActionsService/PauseMining')).sent).toEqual([]);
  expect(device.truth()).toMatchObject({ is_mining: false, mining_mode: 'sleep' });
  expect((await tell(TUNED, 'ActionsService/PauseMining')).number(1)).toBe(1);
  expect((await tell(TUNED, 'MinerService/GetMinerDetails')).number(12)).toBe(3);
  await tell(TUNED, 'ActionsService/ResumeMining');
  expect(device.truth().mining_mode).toBe('power_tuning');

  await tell(TUNED, 'PerformanceService/SetPowerTarget', power(2_500));
  expect((await tell(TUNED, 'PerformanceService/GetActivePerformanceMode')).number(2, 1, 1, 1)).toBe(2_500);
  expect((await tell(TUNED, 'PerformanceService/GetTunerState')).number(2, 2, 1)).toBe(2_500);

  const pool = { url: 'stratum+tcp://new.example:1', user: 'farm.x', password: 'y' };
  const POOLS = { groups: list(2, { pools: list(5, { url: text(2), user: text(3), password: text(4) }) }) };
  await tell(TUNED, 'PoolService/SetPoolGroups', encode(POOLS, { groups: [{ pools: [pool] }] }));
  expect(device.truth().pools).toMatchObject([{ url: pool.url, worker_id: pool.user }]);
  expect((await tell(TUNED, 'ConfigurationService/GetMinerConfiguration')).text(1, 5, 4)).toBe('y');
});

const power = (watt: number) => encode({ power_target: inner(2, { watt: uint(1) }) }, { power_target: { watt } });

test('what is refused says why in its status', async () => {
  const { ip } = of(TUNED);
  const token = await logIn(ip);
  const set = 'PerformanceService/SetPowerTarget';
  const refused = await call(ip, set, { token, body: power(90_000) });
  expect(refused).toMatchObject({ status: INVALID_ARGUMENT, says: 'Power target 90000 W is out of range' });
  const untuned = of(UNTUNED).ip;
  const other = { token: await logIn(untuned), body: power(3_000) };
  expect((await call(untuned, set, other)).status).toBe(FAILED_PRECONDITION);
  await withFault(of(TUNED), 'write-api-off', async () => {
    expect((await call(ip, 'ActionsService/Reboot', { token })).status).toBe(PERMISSION_DENIED);
  });
  expect((await call(ip, 'MinerService/MineFaster', { token })).status).toBe(UNIMPLEMENTED);
  // A message that says it is longer than it is.
  expect((await call(ip, set, { token, body: Buffer.from([0x12, 0x09, 0x08]) })).status).toBe(INTERNAL);
  expect((await call(ip, set, { contentType: 'application/json' })).httpStatus).toBe(415);
});

test('a reboot is answered, takes it away, and the uptime starts anew', async () => {
  const device = of(UNTUNED);
  expect(device.truth().uptime).toBeGreaterThan(3_600);
  const { ip } = device;
  const token = await logIn(ip);
  expect((await call(ip, 'ActionsService/Reboot', { token })).status).toBe(OK);
  await expect.poll(() => device.reboots).toBe(1);
  await expect.poll(() => device.isUp).toBe(true);
  // No token outlives it.
  expect((await call(ip, 'MinerService/GetMinerDetails', { token })).status).toBe(UNAUTHENTICATED);
  const details = await tell(UNTUNED, 'MinerService/GetMinerDetails');
  expect([details.number(10), details.number(11)]).toEqual([undefined, undefined]);
});

test.each(['garbage', 'truncated'] as const)('with %s no message comes whole', async (fault) => {
  const device = of(GRAPHQL);
  const token = await logIn(device.ip);
  await withFault(device, fault, async () => {
    const { message, status } = await call(device.ip, 'MinerService/GetMinerDetails', { token });
    expect(message).toBeUndefined();
    if (fault === 'truncated') expect(status).toBeUndefined();
  });
});

test('versions before 23.03 have no such server', async () => {
  for (const model of ['S9', 'S17']) expect(await errorCode(talk(of(model).ip, 50_051, ''))).toBe('ECONNREFUSED');
});

describe('protocol buffers', () => {
  test('are written as the specification does, without what is zero and plain', () => {
    expect(encode({ a: uint(1) }, { a: 150 }).toString('hex')).toBe('089601');
    expect(encode({ b: text(2) }, { b: 'testing' }).toString('hex')).toBe('120774657374696e67');
    expect(encode({ c: inner(3, { a: uint(1) }) }, { c: { a: 150 } }).toString('hex')).toBe('1a03089601');
    expect(encode({ a: uint(1), b: uint(2, 'optional') }, { a: 0, b: 0 }).toString('hex')).toBe('1000');
    expect(encode({ a: uint(1) }, { a: 2 ** 40 }).toString('hex')).toBe('08808080808020');
  });

  test('a record that is not of the message is not written', () => {
    expect(() => encode({ a: uint(1) }, { b: 1 })).toThrow(/no field b/);
    expect(() => encode({ a: uint(1) }, { a: 'one' })).toThrow(/another type/);
  });

  test('are read past fields that the message does not have; damaged ones are none', () => {
    const message = { a: uint(1), words: list(2, 'text') };
    const bytes = encode({ ...message, new: text(9) }, { a: 7, words: ['x', ''], new: 'y' });
    expect(decode(message, bytes)).toEqual({ a: 7, words: ['x', ''] });
    for (let end = 1; end < bytes.length; end++) {
      const cut = decode(message, bytes.subarray(0, end));
      if (cut !== undefined) expect(bytes.subarray(0, end)).toEqual(encode(message, cut));
    }
    expect(decode(message, Buffer.from('0b0c', 'hex'))).toBeUndefined();
    expect(decode(message, Buffer.from('ffffffffffffffffffffff', 'hex'))).toBeUndefined();
  });
});

// Auradine on real sockets: known by TCP and by its page, read over both APIs, told what it can be told, and lied by.
import { describe, expect, test } from 'vitest';
import { acting, NEW_POOL, USUAL_FAULTS } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { auradineFluxos as driver } from './index.ts';

const site = standing(driver, { miners: 4, mix: 'auradine' });
const { look, ability, act, shown, readsFault, forbids, findsOut, refusedLogin, refusesUnsent, losesReply } = acting(
  driver,
  site,
);
const device = (nth: number) => site().device(nth);

const ORDERS = [
  ['light', { on: true }],
  ['powerMode', { mode: 'sleep' }],
  ['pools', NEW_POOL],
] as const;

describe.each([0, 1])('device %i', (nth) => {
  test('is known by each of its servers alone, and read as it is', async () => {
    for (const port of [80, 4028]) expect(await site().recognise(device(nth).ip, [port])).toBeDefined();
    const { reading, failed, unparsable } = await site().read(device(nth).ip);
    expect({ failed, unparsable }).toEqual({ failed: [], unparsable: [] });
    expectTruth(reading, device(nth));
  });

  test.each(USUAL_FAULTS)('%s is read as it is', (fault) => readsFault(device(nth), fault));

  test('orders are taken and seen', async () => {
    for (const [name, params] of [
      ...ORDERS,
      ['powerMode', { mode: 'low' }],
      ['powerMode', { preset: '3000 W' }],
      ['powerMode', { preset: '120 TH/s' }],
      ['powerMode', { mode: 'high' }],
      ['light', { on: false }],
      ['powerMode', { mode: 'normal' }],
    ] as const) {
      expect((await act(device(nth), name, params)).kind).toBe('accepted');
      expect(await shown(device(nth), name, params), JSON.stringify(params)).toBe(true);
      expectTruth(await look(device(nth)), device(nth));
    }
  });

  test.each(ORDERS)('%s: wrong password, forbidden, and a yes that does nothing', async (name, params) => {
    const other = device(nth + 2);
    await refusedLogin(other, name, params);
    await forbids(other, name, params, 'peer.rejected');
    await findsOut(other, name, params);
  });
});

test('tokens that are taken side by side are good together, as clients with one per request need it', async () => {
  const link = site().link(device(0).ip);
  const web = { via: 'http', port: 8080, auth: 'none', as: 'json' } as const;
  const json = { command: 'token', user: 'admin', password: 'admin' };
  const answers = await Promise.all([1, 2, 3].map(() => link.send({ ...web, method: 'POST', path: '/token', json })));
  const tokens = answers.map((answer) => JSON.stringify(answer).match(/"Token":"(\w+)"/)?.[1] ?? '');
  expect(new Set(tokens).size).toBe(3);
  for (const Token of tokens) {
    const fans = await link.send({ ...web, method: 'GET', path: '/fan', headers: { Token } });
    expect(fans).toMatchObject({ Fan: [{ ID: 1 }, { ID: 2 }, { ID: 3 }, { ID: 4 }] });
  }
});

test('firmware is fetched by the device itself, and proven by its restart', async () => {
  const rig = device(3);
  const params = { url: 'http://files.example/fluxos.bin', version: '2024-09.01' };
  await refusedLogin(rig, 'firmware', params);
  await forbids(rig, 'firmware', params, 'peer.rejected');
  await findsOut(rig, 'firmware', params);
  expect(rig.reboots).toBe(0);
  expect(await act(rig, 'firmware', params)).toEqual({ kind: 'accepted' });
  await expect.poll(() => rig.reboots).toBe(1);
  for (const url of [undefined, '', 'files.example', 'ftp://files.example/x', 'file:///etc/passwd'])
    expect(ability('firmware').params.safeParse({ url }).success, url).toBe(false);
});

test('modes and targets that it does not have are refused unsent', () =>
  refusesUnsent('powerMode', { preset: 'fast' }));

test.each([
  ['reboot', {}],
  ['pools', NEW_POOL],
  ['firmware', { url: 'http://files.example/fluxos.bin' }],
] as const)('a lost answer to %s is left to be seen', (name, params) => losesReply(name, params));

test('zeros in any spelling are no fault, and a board is dead only by a word for it', () => {
  const errors = (Code: unknown) => driver.read({ led: { LED: [{ Code, Msg: 'x' }] } }, {}).reading.errors;
  for (const code of [0, '0', '0x0', '0x00000000', 2]) expect(errors(code), String(code)).toEqual([]);
  expect(errors('0x4')).toMatchObject([{ code: '4', category: 'temperature' }]);
  expect(errors('broken')).toBeUndefined();
  const alive = (Status?: string) =>
    driver.read({ devs: { DEVS: [{ ID: 1, ...(Status && { Status }) }] } }, {}).reading.boards?.[0]?.isAlive;
  expect([alive('Alive'), alive('Dead'), alive('Sick'), alive('Initialising'), alive()]).toEqual([
    true,
    false,
    false,
    undefined,
    undefined,
  ]);
});

test('a hydro machine tells its coolant with the control board: that is inlet and outlet', () => {
  const board = {
    ID: 1,
    Name: 'HB1',
    BoardTemp: [
      { ID: 0, Temperature: 51 },
      { ID: 1, Temperature: 58 },
    ],
    ChipTemp: [],
  };
  const temperatures = (control: object) => {
    const raw = {
      devs: { STATUS: [{ STATUS: 'S' }], DEVS: [{ ASC: 0, ID: 1, Status: 'Alive' }] },
      temperature: { STATUS: [{ STATUS: 'S' }], Temperature: [{ ID: 0, Name: 'Control Board', ...control }, board] },
    };
    const { inletTempC, outletTempC } = driver.read(raw, {}).reading;
    return [inletTempC, outletTempC];
  };
  expect(temperatures({ InletTemp: 32.5, OutletTemp: 41.25, FlowRate: 9.1 })).toEqual([32.5, 41.25]);
  expect(temperatures({ InletTemp: 0, OutletTemp: 0 })).toEqual([51, 58]);
});

// Antminers with stock firmware from before 2020 on real sockets: read as they are, and each order accepted, refused,
// ignored or lost.
import { Blob } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import { PeerError } from '../../src/base/errors.ts';
import type { FirmwareImage } from '../../src/driver/contract.ts';
import { acting } from '../../test/contract/acting.ts';
import { caseAnswers } from '../../test/contract/samples.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { fakeLink, lostAfterSending, neverSent, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { antminerStock as driver } from './index.ts';

const sample = caseAnswers(driver, 's9-a-board-missing');

const site = standing(driver, { miners: 8, mix: 'antminer-a', patience: 0.2 });

const at = (nth: number) => site().device(nth);
/** In the order in which the farm has them. */
const [S9, L3, S17, COMMUNITY] = [0, 1, 2, 3] as const;
const knownOf = async ({ ip }: Device) => (await site().recognise(ip))?.known ?? {};
const look = async (device: Device) => (await site().read(device.ip, await knownOf(device))).reading;
const { withFault } = acting(driver, site);
const { light, pools, log, firmware, powerMode, reboot } = driver.abilities;
if (!light || !pools || !log || !firmware || !powerMode || !reboot) throw new Error('an ability is missing');
const OLD = { generation: 'a' };
const act = (ability: typeof light, { ip }: Device, params: object) => ability.act(site().link(ip), params, OLD);
const [A, B] = [
  { url: 'stratum+tcp://a.example:3333', user: 'farm.a b', password: 'x=1,d=2' },
  { url: 'stratum+tcp://b.example:443', user: 'farm.b', password: '' },
];

describe('reading', () => {
  test.each([
    [S9, 'S9'],
    [L3, 'L3+'],
    [S17, 'S17'],
    [COMMUNITY, 'L3+'],
  ])('device %i, an %s, is known as old and read as it is', async (index, model) => {
    expect(await knownOf(at(index))).toMatchObject({ generation: 'a', model });
    const { reading, unparsable } = await site().read(at(index).ip, await knownOf(at(index)));
    expect(unparsable).toEqual([]);
    expectTruth(reading, at(index));
  });

  test.each<FaultName>(['board-dead', 'fan-stopped', 'pool-dead', 'hot', 'low-hashrate'])(
    'with %s too',
    async (fault) => {
      for (const device of [at(S9), at(L3), at(S17)])
        await withFault(device, fault, async () => expectTruth(await look(device), device));
    },
  );

  test('its web alone is enough to read it, with what is asked of every generation', async () => {
    const found = await site().recognise(at(S9).ip, [80]);
    expect(found?.known).toEqual({ make: 'Antminer' });
    expectTruth((await site().read(at(S9).ip, found?.known)).reading, at(S9));
  });

  test('a dead board keeps its place, a chip map its bad chip', () => {
    const { reading } = driver.read(sample, OLD);
    expect(reading.boards?.map(({ slot, badChips }) => [slot, badChips])).toEqual([
      [0, 1],
      [2, undefined],
    ]);
    expect(reading).toMatchObject({ isLightOn: true, mac: '02:00:00:00:00:14', tempC: 82 });
    expect(reading).not.toHaveProperty('miningMode');
    expect(reading).not.toHaveProperty('powerW');
  });
});

describe('light', () => {
  test.each([0, 1])('device %i blinks whether it answers or keeps silent, and stops', async (index) => {
    const device = at(index);
    for (const on of [true, false]) {
      expect((await act(light, device, { on })).kind).toBe('accepted');
      const reading = await look(device);
      expect(reading.isLightOn).toBe(on);
      expect(light.shows?.(reading, { on })).toBe(true);
    }
    expect(await act(light, device, { on: false })).toMatchObject({ note: 'it was so already' });
  });

  test('where the generation is not known, a page that is missing tells', async () => {
    const { ip } = at(2);
    expect(await light.act(site().link(ip), { on: true }, {})).toEqual({ kind: 'accepted' });
    expect(at(2).truth().light_on).toBe(true);
    await act(light, at(2), { on: false });
  });

  test('is refused, or only said to be on', async () => {
    await withFault(at(0), 'write-api-off', async () =>
      expect(await refusalOf(act(light, at(0), { on: true }))).toBe('peer.permission'),
    );
    await withFault(at(0), 'ignores-writes', async () =>
      expect(await refusalOf(act(light, at(0), { on: true }))).toBe('peer.rejected'),
    );
    await withFault(at(0), 'wrong-password', async () =>
      expect(await refusalOf(light.act(site().linkAs(at(0).ip, 'root', 'root'), { on: true }, OLD))).toBe('peer.auth'),
    );
  });

  test('what cannot be looked at afterwards is to be settled later', async () => {
    let asked = 0;
    const link = fakeLink((request) => {
      if (request.via === 'http' && request.form?.action === 'onPageLoaded' && asked++ === 0)
        return { isBlinking: false };
      throw lostAfterSending();
    });
    expect(await light.act(link, { on: true }, OLD)).toEqual({ kind: 'lost-reply' });
  });
});

describe('pools', () => {
  test.each([S9, L3, S17])('device %i takes them and keeps the rest of its configuration', async (index) => {
    const device = at(index + 4);
    const conf = () =>
      site()
        .link(device.ip)
        .send({ via: 'http', method: 'GET', path: '/cgi-bin/get_miner_conf.cgi', auth: 'digest', as: 'json' });
    const before = await conf();
    expect(await act(pools, device, { pools: [A, B] })).toEqual({ kind: 'accepted' });
    const reading = await look(device);
    expect(pools.shows?.(reading, { pools: [A, B] })).toBe(true);
    expectTruth(reading, device);
    expect(await conf()).toEqual({
      ...(typeof before === 'object' ? before : {}),
      pools: [
        { url: A.url, user: A.user, pass: A.password },
        { url: B.url, user: B.user, pass: B.password },
        { url: '', user: '', pass: '' },
      ],
    });
    expect(await act(pools, device, { pools: [A, B] })).toMatchObject({ note: 'they were so already' });
    expect(await act(pools, device, { pools: [A, { ...B, password: 'new' }] })).toEqual({ kind: 'accepted' });
    expect(await conf()).toMatchObject({ pools: [{}, { pass: 'new' }, {}] });
  });

  test('are refused, or only said to be set', async () => {
    await withFault(at(0), 'write-api-off', async () =>
      expect(await refusalOf(act(pools, at(0), { pools: [A] }))).toBe('peer.permission'),
    );
    await withFault(at(0), 'ignores-writes', async () => {
      expect((await act(pools, at(0), { pools: [A] })).kind).toBe('accepted');
      expect(pools.shows?.(await look(at(0)), { pools: [A] })).toBe(false);
    });
  });

  test('what its script would spoil is refused before anything is sent, and so are more than three', async () => {
    const link = fakeLink(() => ({}));
    for (const password of ['"', "'", '50%', 'ä', '!', '~'])
      expect(await refusalOf(pools.act(link, { pools: [{ ...A, password }] }, OLD))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
    expect(pools.params.safeParse({ pools: [A, A, A, A] }).success).toBe(false);
  });

  test('a lost answer is to be looked at; a configuration that cannot be read has changed nothing', async () => {
    const answering = (conf: unknown) =>
      fakeLink((request) => {
        if (request.via === 'http' && request.path.endsWith('get_miner_conf.cgi')) return conf;
        throw lostAfterSending();
      });
    const conf = { pools: [{ url: '', user: '', pass: '' }] };
    expect(await pools.act(answering(conf), { pools: [A] }, OLD)).toEqual({ kind: 'lost-reply' });
    await expect(pools.act(answering('<html>'), { pools: [A] }, OLD)).rejects.toMatchObject({ wasSent: false });
  });

  test('fields go in the order of the device’s own page, whatever its configuration has', async () => {
    const conf = { pools: [{}], 'bitmain-fan-ctrl': true, 'bitmain-fan-pwm': '80', 'bitmain-work-mode': '1' };
    const link = fakeLink((request) => (request.via === 'http' && request.method === 'POST' ? 'ok' : conf));
    await pools.act(link, { pools: [A] }, OLD);
    const sent = link.sent.flatMap((request) => (request.via === 'http' && request.form ? [request.form] : []));
    expect(Object.entries(sent[0] ?? {}).slice(9)).toEqual([
      ['_ant_nobeeper', 'false'],
      ['_ant_notempoverctrl', 'false'],
      ['_ant_fan_customize_switch', 'true'],
      ['_ant_fan_customize_value', '80'],
      ['_ant_freq', ''],
      ['_ant_voltage', ''],
      ['_ant_work_mode', '1'],
    ]);
  });
});

test('its log is fetched, within a bound', async () => {
  const result = await act(log, at(0), {});
  expect(result.kind === 'accepted' && result.log).toContain('Booting Linux');
  await withFault(at(0), 'wrong-password', async () =>
    expect(await refusalOf(log.act(site().linkAs(at(0).ip, 'root', 'root'), {}, OLD))).toBe('peer.auth'),
  );
  const link = fakeLink(() => {
    throw neverSent();
  });
  expect(await refusalOf(log.act(link, {}, OLD))).toBe('peer.refused');
});

describe('firmware', () => {
  const image = (...parts: (string | Uint8Array<ArrayBuffer>)[]): FirmwareImage => ({
    name: 'Antminer-S9.tar.gz',
    sha256: '0'.repeat(64),
    bytes: new Blob(parts),
  });
  const GZIP = new Uint8Array([0x1f, 0x8b, 8, 0]);
  const put = (device: Device, file?: FirmwareImage) => firmware.act(site().link(device.ip), {}, OLD, file);

  test('goes up, and then the device is rebooted, which it does not do itself', async () => {
    expect(await put(at(6), image(GZIP, 'signed by the maker'))).toEqual({ kind: 'accepted' });
    await expect.poll(() => at(6).reboots).toBe(1);
  });
  test('that the device refuses stays its affair, with its words, and nothing is rebooted', async () => {
    const refused = put(at(0), image(GZIP, 'home made'));
    await expect(refused).rejects.toMatchObject({
      code: 'peer.rejected',
      cause: { message: 'the device says Installer Not Signtured!!!' },
    });
    await withFault(at(0), 'write-api-off', async () =>
      expect(await refusalOf(put(at(0), image(GZIP, 'signed by the maker')))).toBe('peer.permission'),
    );
    expect(at(0).reboots).toBe(0);
  });
  test('that is no archive, or is not there, is not sent', async () => {
    const link = fakeLink(() => '');
    const bundle = image(new Uint8Array([0xab, 0xab, 0xab, 0xab]));
    for (const file of [bundle, image(''), undefined])
      expect(await refusalOf(firmware.act(link, {}, OLD, file))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
  });
  test('whose answer is lost is to be looked at, and not rebooted', async () => {
    const link = fakeLink(() => {
      throw lostAfterSending();
    });
    expect(await firmware.act(link, {}, OLD, image(GZIP))).toEqual({ kind: 'lost-reply' });
    expect(link.sent).toHaveLength(1);
  });
});

test('what only another generation can is refused before anything is changed', async () => {
  const link = fakeLink(() => ({}));
  expect(await refusalOf(powerMode.act(link, { mode: 'sleep' }, OLD))).toBe('peer.unsupported');
  expect(link.sent).toEqual([]);
  const shut = fakeLink(() => {
    throw new PeerError('peer.timeout', 'ask', 'soon', undefined, { wasSent: true });
  });
  await expect(pools.act(shut, { pools: [A] }, {})).rejects.toMatchObject({ code: 'peer.timeout', wasSent: false });
});

test('the 17 series sleeps by 254 and wakes by 0, in either web, and nothing else of its settings changes', async () => {
  const conf = {
    pools: [{ url: 'a', user: 'b', pass: 'c' }],
    'bitmain-fan-ctrl': true,
    'bitmain-fan-pwm': '80',
    'bitmain-freq': 'O',
    'bitmain-voltage': '1950',
    'bitmain-work-mode': '0',
  };
  const link = fakeLink((request) => ('form' in request ? 'ok' : conf));
  expect(await powerMode.act(link, { mode: 'sleep' }, { ...OLD, model: 'T17+' })).toEqual({ kind: 'accepted' });
  const sent = link.sent.at(-1);
  const form = sent !== undefined && 'form' in sent ? Object.entries(sent.form ?? {}) : [];
  expect(form.slice(0, 3)).toEqual([
    ['_ant_pool1url', 'a'],
    ['_ant_pool1user', 'b'],
    ['_ant_pool1pw', 'c'],
  ]);
  expect(form.slice(9)).toEqual([
    ['_ant_nobeeper', 'false'],
    ['_ant_notempoverctrl', 'false'],
    ['_ant_fan_customize_switch', 'true'],
    ['_ant_fan_customize_value', '80'],
    ['_ant_freq', 'O'],
    ['_ant_voltage', '1950'],
    ['_ant_work_mode', '254'],
  ]);
  const awake = await powerMode.act(link, { mode: 'normal' }, { ...OLD, model: 'S17 Pro' });
  expect([awake, link.sent]).toMatchObject([{ note: 'it was so already' }, { length: 3 }]);
  for (const mode of ['low', 'high'])
    expect(await refusalOf(powerMode.act(link, { mode }, { ...OLD, model: 'S17' }))).toBe('peer.unsupported');
  let isWritten = false;
  const later = fakeLink((request) => {
    if ('json' in request) isWritten = true;
    return 'json' in request
      ? { code: 'M000' }
      : { ...conf, 'miner-mode': isWritten ? 254 : 0, 'bitmain-work-mode': isWritten ? 254 : 0 };
  });
  expect(await powerMode.act(later, { mode: 'sleep' }, { generation: 'b', model: 'S17+' })).toMatchObject({
    kind: 'accepted',
  });
  expect(later.sent[1]).toMatchObject({ json: { 'miner-mode': 254, 'bitmain-work-mode': 254 } });
});

test('a reboot takes it away, whether it answers first or not', async () => {
  for (const index of [4, 7]) {
    expect(['accepted', 'lost-reply']).toContain((await act(reboot, at(index), {})).kind);
    await expect.poll(() => at(index).reboots).toBe(1);
  }
});

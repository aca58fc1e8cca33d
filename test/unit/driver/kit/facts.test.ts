// Facts under several names, models of any firmware, and what is done instead where a device refuses.
import { describe, expect, test } from 'vitest';
import { PeerError } from '../../../../src/base/errors.ts';
import * as kit from '../../../../src/driver/kit/index.ts';

describe('facts', () => {
  const factsOf = (...answers: readonly object[]) =>
    kit.factsOf({ mac: ['mac', 'MAC'], watts: ['now', 'before'] }, ...answers.map((answer) => new kit.Answer(answer)));

  test('are read by the first name and from the first answer that says something', () => {
    expect(factsOf({ MAC: 'a' }, { MAC: 'b', now: 3 }).raw).toEqual({ mac: 'a', watts: 3 });
    expect(factsOf({ MAC: 'a' }, { mac: 'b' }).raw).toEqual({ mac: 'b', watts: undefined });
  });
  test('fillers and negative figures say nothing, 0 does', () => {
    expect(factsOf({ mac: 'N/A', now: -1 }, { MAC: 'b', before: 0 }).raw).toEqual({ mac: 'b', watts: 0 });
    expect(factsOf({ now: -1 }).number('watts', { min: 0 })).toBeUndefined();
  });
  test('what is no text arrives as it is where nothing says more', () => {
    expect(factsOf({ mac: true }).bool('mac')).toBe(true);
  });
});

describe('fields by their names', () => {
  const fieldsOf = (...answers: readonly object[]) =>
    kit.namedFields(
      { mac: ['MAC', 'mac'], powerW: ['now', 'before'], isAlive: ['on'], outputVoltageV: ['out'] },
      ...answers.map((answer) => new kit.Answer(answer)),
    );

  test('are read as what they mean, from the first place where they can be', () => {
    expect(fieldsOf({ now: 0, before: '1,200', on: 'Y', out: 0, other: 1 })).toEqual({
      powerW: 1_200,
      isAlive: true,
      outputVoltageV: 0,
    });
    expect(fieldsOf({ now: -1 }, { now: 'x' })).toEqual({});
  });
  test('a MAC that can identify a miner goes before one that cannot', () => {
    expect(fieldsOf({ MAC: '00:00:00:00:00:00' }, { mac: '02:00:00:00:00:11' })).toEqual({ mac: '02:00:00:00:00:11' });
    expect(fieldsOf({ MAC: '00:00:00:00:00:00' })).toEqual({ mac: '00:00:00:00:00:00' });
  });
});

test.each([
  [true, 5, 'sleep'],
  [false, undefined, 'low'],
  [undefined, 5, 'low'],
  [undefined, 0, undefined],
  [undefined, undefined, undefined],
] as const)('asleep %s with a rate of %s it is in %s', (isAsleep, hashrateHs, mode) =>
  expect(kit.modeNow(isAsleep, hashrateHs, 'low')).toBe(mode),
);

describe('instead', () => {
  const refuse = async (): Promise<string> => {
    throw new PeerError('peer.unsupported', 'set', 'never');
  };
  test('is done where the device refuses in that way, and only then', async () => {
    expect(await kit.orElse(refuse, () => 'other')).toBe('other');
    expect(await kit.orElse(refuse, () => 'other', ['peer.unsupported'])).toBe('other');
    expect(
      await kit.orElse(
        async () => 'first',
        () => 'other',
      ),
    ).toBe('first');
    await expect(kit.orElse(refuse, () => 'other', ['peer.auth'])).rejects.toMatchObject({ code: 'peer.unsupported' });
  });
  test('is not done for an error of ours', async () => {
    const broken = async (): Promise<string> => {
      throw new TypeError('ours');
    };
    await expect(kit.orElse(broken, () => 'other')).rejects.toThrow(TypeError);
  });
});

test('a model is found whatever firmware names it; a chip or a number names none', () => {
  expect(kit.findAnyModel('AvalonMiner 1246')?.make).toBe('Avalon');
  expect(kit.findModel('axeos', 'BM1366')).toBeDefined();
  expect(kit.findAnyModel('BM1366')).toBeUndefined();
});

test('the hottest chip of a draft is found in its sensors, too', () => {
  expect(kit.hottestC([{ chipTempsC: [70, undefined, 81] }, { chipTempMaxC: 78 }])).toBe(81);
  expect(kit.hottestC([{ boardTempsC: [60, undefined] }])).toBe(60);
});

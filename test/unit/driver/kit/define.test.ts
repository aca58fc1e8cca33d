// A driver as written, and what the core gets of it: what was understood, what follows, and what a driver overrides.
import { describe, expect, test } from 'vitest';
import type { Draft } from '../../../../src/driver/kit/index.ts';
import * as kit from '../../../../src/driver/kit/index.ts';
import { readingSchema } from '../../../../src/model/reading.ts';

const reading = (draft: Draft) => {
  const driver = kit.defineDriver({
    id: 'some',
    make: 'Some',
    covers: [],
    asks: { stats: { every: 'poll', ...kit.tcp('stats') } },
    read: () => draft,
  });
  const { reading: found } = driver.read({ stats: {} }, {});
  expect(readingSchema.safeParse(found).error).toBeUndefined();
  return found;
};

describe('what follows from other fields', () => {
  test('whether it mines, from the rate, which may outlast it; undefined without one', () => {
    expect(reading({ hashrateHs: 1, miningMode: 'sleep' }).isMining).toBe(false);
    expect(reading({ hashrateHs: 1 }).isMining).toBe(true);
    expect(reading({ hashrateHs: 0 }).isMining).toBe(false);
    expect(reading({})).not.toHaveProperty('isMining');
  });
  test('a window only beside a rate', () => {
    expect(reading({ hashrateHs: undefined, hashrateWindow: '5s' })).not.toHaveProperty('hashrateWindow');
    expect(reading({ hashrateHs: 0, hashrateWindow: '5s' }).hashrateWindow).toBe('5s');
  });
  test('the hottest chip, else the hottest board; inlet and outlet as the mean of the boards', () => {
    const boards = [
      { slot: 0, chipTempsC: [70, undefined, 74], boardTempsC: [80], inletTempC: 20, outletTempC: 40 },
      { slot: 1, boardTempsC: [undefined, 90], inletTempC: 30 },
    ];
    expect(reading({ boards })).toMatchObject({ tempC: 74, inletTempC: 25, outletTempC: 40 });
    expect(reading({ boards }).boards?.[0]).toMatchObject({ chipTempMaxC: 74, chipTempAvgC: 72 });
    expect(reading({ boards: boards.slice(1) }).tempC).toBe(90);
    expect(reading({ boards: [{ slot: 0, boardTempsC: [undefined] }] }).boards).toEqual([{ slot: 0 }]);
  });
  test('what the driver writes stands, also that it does not know', () => {
    expect(reading({ hashrateHs: 1, isMining: undefined })).not.toHaveProperty('isMining');
    expect(reading({ hashrateHs: 1, isMining: false }).isMining).toBe(false);
    expect(reading({ boards: [{ slot: 0, chipTempMaxC: 60 }], tempC: undefined })).not.toHaveProperty('tempC');
  });
  test('one board per slot, none outside of the slots, none of what is empty', () => {
    const boards = [{ slot: 1, chips: 7 }, undefined, { slot: 1, chips: 9 }, { slot: -1 }, { slot: 64 }, { slot: NaN }];
    expect(reading({ boards }).boards).toEqual([{ slot: 1, chips: 7 }]);
    const fans = [{ index: 1, rpm: 7 }, undefined, { index: 1, rpm: 9 }];
    expect(reading({ fans }).fans).toEqual([{ index: 1, rpm: 7 }]);
  });
  test('an expectation of nothing and a PSU of nothing are none', () => {
    expect(reading({ expected: {}, psus: [{ isOk: undefined }] })).toEqual({ make: 'Some' });
  });
});

describe('what was understood', () => {
  const driver = kit.defineDriver({
    id: 'some',
    make: 'Some',
    covers: [],
    asks: {
      stats: { every: 'poll', ...kit.tcp('stats'), needs: 'STATS' },
      page: { every: 'slow', ...kit.get('/page') },
      log: { every: 'slow', ...kit.asText(kit.get('/log')) },
      odd: { every: 'slow', ...kit.get('/odd'), needs: (answer) => answer.number('code') === 0 },
    },
    read: ({ stats, page, log, odd }) => ({
      hashrateHs: stats.row('STATS').rateHs('GHS av', 'G'),
      hostname: page.name('host'),
      firmwareVersion: log.body,
      model: odd.name('model'),
    }),
  });
  const good = { stats: { STATS: [{ 'GHS av': 1 }] }, page: { host: 'a' }, log: 'v1', odd: { code: 0, model: 'M' } };

  test('all of it', () => {
    expect(driver.read(good, {})).toEqual({
      reading: {
        ...{ make: 'Some', hashrateHs: 1e9, isMining: true, hostname: 'a', firmwareVersion: 'v1', model: 'M' },
      },
      unparsable: [],
    });
  });
  test('what does not fit is named, and nothing of it is read', () => {
    const { reading: found, unparsable } = driver.read(
      { stats: { STATS: 'x' }, page: 'text', log: {}, odd: { code: 1, model: 'M' }, other: 1 },
      {},
    );
    expect(found).toEqual({ make: 'Some' });
    expect(unparsable.toSorted()).toEqual(['log', 'odd', 'other', 'page', 'stats']);
  });
  test('what was not asked is neither', () => {
    expect(driver.read({}, {})).toEqual({ reading: { make: 'Some' }, unparsable: [] });
  });
});

test('a family of the driver is what identifies it, as sure as the evidence is', () => {
  const driver = kit.defineDriver({
    ...{ id: 'some', make: 'Some', covers: [], asks: {}, families: [{ id: 'one' }, { id: 'two' }] },
    read: () => ({}),
  });
  expect(driver.identify({ family: 'two', isProven: true })).toEqual({ make: 'Some', confidence: 'sure' });
  expect(driver.identify({ family: 'one' })).toEqual({ make: 'Some', confidence: 'likely' });
  expect(driver.identify({ family: 'three', isProven: true })).toBeUndefined();
  expect(driver.identify({ family: undefined })).toBeUndefined();
});

test('a driver adds to what its families say, or denies it', () => {
  const driver = kit.defineDriver({
    ...{ id: 'some', make: 'Some', covers: [], asks: {}, families: [{ id: 'one' }] },
    identify: ({ version }, ours) => (version === 'no' ? undefined : ours && { ...ours, model: version ?? 'N/A' }),
    read: () => ({}),
  });
  const one = { family: 'one', isProven: true };
  expect(driver.identify({ ...one, version: 'M1' })).toEqual({ make: 'Some', confidence: 'sure', model: 'M1' });
  expect(driver.identify(one)).toEqual({ make: 'Some', confidence: 'sure' });
  expect(driver.identify({ ...one, version: 'no' })).toBeUndefined();
  expect(driver.identify({ family: 'two' })).toBeUndefined();
});

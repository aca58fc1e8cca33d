// What a person may have meant by a name that does not exist.
import { expect, test } from 'vitest';
import { DRIVER_IDS } from '../../../drivers/ids.data.ts';
import { drivers } from '../../../drivers/index.ts';
import { nearestNames } from '../../../src/base/nearest-names.ts';

test.each([
  ['antminer', ['antminer-stock']],
  ['whatsmner', ['whatsminer']],
  ['WhatsMiner', ['whatsminer']],
  ['ice-river', ['iceriver']],
  ['braiins', ['braiins-os']],
  ['zzzzzzzzzz', []],
])('%s', (written, names) => expect(nearestNames(written, DRIVER_IDS)).toEqual(names));

test('the names of the drivers are all of them', () => expect(DRIVER_IDS).toEqual(drivers.map(({ id }) => id)));

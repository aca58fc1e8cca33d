// What a person may have meant by a name that does not exist.
import { expect, test } from 'vitest';
import { drivers } from '../../../drivers/index.ts';
import { nearestNames } from '../../../src/base/nearest-names.ts';

const IDS = drivers.map(({ id }) => id);

test.each([
  ['antminer', ['antminer-stock']],
  ['whatsmner', ['whatsminer']],
  ['WhatsMiner', ['whatsminer']],
  ['ice-river', ['iceriver']],
  ['braiins', ['braiins-os']],
  ['zzzzzzzzzz', []],
])('%s', (written, names) => expect(nearestNames(written, IDS)).toEqual(names));

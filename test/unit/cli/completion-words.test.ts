// What the tab key offers where miners are selected.
import { expect, test } from 'vitest';
import { offersAt, offersFor } from '../../../src/cli/completion-words.ts';
import { ANOMALY_TYPES } from '../../../src/model/flags/anomaly-types.ts';
import { row } from './fleet/rows.ts';

const MINERS = [
  row(1, { rack: 'C03', container: '1', model: 'S19 Pro' }),
  row(2, { rack: 'C03', container: '1', model: 'S21' }),
  row(3, { rack: 'C04', container: 'the far one', model: 'M30S++', driver: 'whatsminer' }),
];
const valuesFor = (typed: string) => offersFor(typed, MINERS).map(({ value }) => value);

test.each([
  ['rack:', ['rack:C03', 'rack:C04']],
  ['rack:C03,', ['rack:C03,C03', 'rack:C03,C04']],
  ['flag:ha', ['flag:hashboard']],
  ['state:m', ['state:missing', 'state:maintenance']],
  ['driver:', ['driver:antminer-stock', 'driver:whatsminer']],
  ['r', ['rack:C03', 'rack:C04']],
  ['al', ['algorithm:sha256', 'all']],
  ['10.31.3.2', ['10.31.3.2']],
  ['rock:', []],
])('after %s it offers %j', (typed, expected) => {
  expect(valuesFor(typed)).toEqual(expected);
});

test('a value begins with what is typed, in its letters, for shells compare them so', () => {
  expect(valuesFor('model:s')).toEqual(['model:s19', 'model:s21']);
  expect(valuesFor('Rack:c0')).toEqual(['Rack:c03', 'Rack:c04']);
});

test('a name that would need quotation marks is not offered', () => {
  expect(valuesFor('container:')).toEqual(['container:1']);
});

test('flags and states need no answer of anybody, and where nothing answers nothing is offered', async () => {
  const { stdout, stderr } = process;
  const environment = { XDG_STATE_HOME: '/nowhere', XDG_CONFIG_HOME: '/nowhere' };
  const context = { stdout, stderr, environment, signal: new AbortController().signal };
  const flags = (await offersAt(['miners', 'flag:'], context)).map(({ value }) => value);
  expect(flags).toEqual(ANOMALY_TYPES.map((type) => `flag:${type}`));
  expect(await offersAt(['miners', '-c', '/nowhere/pithead.yaml', 'rack:'], context)).toEqual([]);
});

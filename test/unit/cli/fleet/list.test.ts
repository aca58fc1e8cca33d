// The table of miners on 80 columns, its order, its columns, and what each says of a miner.
import measure from 'fast-string-truncated-width';
import { expect, test } from 'vitest';
import { accountLine } from '../../../../src/cli/fleet/list/account.ts';
import { columnHelp, readColumns, readSort } from '../../../../src/cli/fleet/list/choices.ts';
import { COLUMNS, EXPORTED, USUAL } from '../../../../src/cli/fleet/list/columns.ts';
import { readFilter } from '../../../../src/cli/fleet/list/filters.ts';
import { listText } from '../../../../src/cli/fleet/list/view.ts';
import { minerJson } from '../../../../src/cli/fleet/row/json.ts';
import { stateText } from '../../../../src/cli/fleet/row/state.ts';
import type { BoardMiner } from '../../../../src/model/board/board-miner.ts';
import { byAddress, byLocation } from '../../../../src/model/board/miner-order.ts';
import { HOUR_MS, ill, MINUTE_MS, NOW_MS, row } from './rows.ts';

const plain = (_: unknown, text: string) => text;
const shown = (miners: readonly BoardMiner[], width: number | undefined, columns = readColumns(undefined, USUAL)) =>
  listText({ columns }, miners, { width, paint: plain, nowMs: NOW_MS }).split('\n');

const WELL = row(44, { rack: 'C03', position: 12 });
const BOARD = row(45, { rack: 'C03', position: 4, ...ill('board 2: 0 of 108 chips', 'hashboard', 'fan') });
const SILENT = row(9, { isOnline: false, isMining: false, seenAtMs: NOW_MS - 2 * HOUR_MS });

test('a healthy farm is one line a miner on 80 columns; of a silent one nothing is shown that is not known', () => {
  expect(shown([WELL, SILENT], 80)).toEqual([
    'LOCATION  ADDRESS     MODEL          RATE   %  °C  STATE                AGE',
    'C03-12    10.31.3.44  S19 Pro  104.2 TH/s  95  71  mining               9 s',
    '–         10.31.3.9   S19 Pro           –   –   –  missing since 06:12  2 h',
  ]);
});

test('an ill one says what, since when and what else; no line is wider than the screen', () => {
  const lines = shown([BOARD, WELL], 80);
  expect(lines.slice(2, 4)).toEqual([
    expect.stringMatching(/^C03-04 .* board 2: 0 of 108 chips, since 07:58;/),
    expect.stringMatching(/^ +S19 Pro +95 +also fan$/),
  ]);
  expect(lines.filter((line) => measure(line).width > 80)).toEqual([]);
});

test('without a location no column is spent on it, unless it was asked for', () => {
  const there = row(1);
  expect(shown([there], 80)[0]).not.toContain('LOCATION');
  expect(shown([there], 80, readColumns('location,address', USUAL))).toEqual([
    'LOCATION  ADDRESS',
    '–         10.31.3.1',
  ]);
});

test('into a pipe a miner is one line, whole', () => {
  expect(shown([BOARD], undefined)).toHaveLength(2);
});

test.each<[string, Partial<BoardMiner>, string]>([
  ['its agent is silent', { isUnknown: true, isOnline: false }, 'unknown since 08:11: its agent is silent'],
  ['asleep', { mode: 'sleep', isMining: false }, 'asleep'],
  ['not mining', { isMining: false }, 'not mining'],
  ['hung', { isHung: true, isOnline: false }, 'hung since 08:11'],
  ['in maintenance', { opsStatus: 'maintenance' }, 'maintenance; mining'],
  ['off its rack', { opsStatus: 'off_rack', isOnline: false }, 'off rack; silent since 08:11'],
  ['a flag without a text', { flags: 1 }, 'fan'],
  ['silent since yesterday', { isOnline: false, seenAtMs: NOW_MS - 20 * HOUR_MS }, 'missing since 2026-11-22 12:12'],
])('says that it is %s', (_, known, text) => {
  expect(stateText(row(1, known), NOW_MS)).toBe(text);
});

test('walks as people do: rack C2 before C10, positions as numbers, those without a location last by address', () => {
  const at = (last: number, container: string | null, rack: string | null, position: number | null) =>
    row(last, { container, rack, position });
  const miners = [
    ...[at(1, null, null, null), at(9, '1', 'C10', 1), at(8, '1', 'C2', 10), at(7, '1', 'C2', 9), at(6, '2', 'A1', 1)],
    ...[at(5, '1', 'C2', null), row(100), row(20)],
  ];
  expect(miners.toSorted(byLocation).map(({ ip }) => ip.split('.').at(-1))).toEqual([
    '7',
    '8',
    '5',
    '9',
    '6',
    '1',
    '20',
    '100',
  ]);
  expect(miners.toSorted(byAddress).map(({ ip }) => ip.split('.').at(-1))).toEqual([
    '1',
    '5',
    '6',
    '7',
    '8',
    '9',
    '20',
    '100',
  ]);
});

test('sorts by columns, in either direction, what is unknown last, then by address', () => {
  const miners = [row(3, { tempC: 60 }), row(1, { tempC: null }), row(2, { tempC: 80 }), row(4, { tempC: 60 })];
  const sorted = (by: string) =>
    miners
      .toSorted(readSort(by))
      .map(({ ip }) => ip.at(-1))
      .join('');
  expect(sorted('temp')).toBe('3421');
  expect(sorted('-temp')).toBe('2341');
  expect(sorted('model,-address')).toBe('4321');
});

test.each([
  ['tmep', 'temp'],
  ['adress', 'address'],
])('a column %s is refused, and %s named', (written, meant) => {
  const problem = {
    problems: [{ path: expect.any(String), message: expect.stringContaining(`do you mean ${meant}`) }],
  };
  expect(() => readColumns(written, USUAL)).toThrow(expect.objectContaining(problem));
  expect(() => readSort(`-${written}`)).toThrow(expect.objectContaining(problem));
});

test('help has each column, and what is exported is a column', () => {
  for (const { key, about } of COLUMNS) expect(columnHelp()).toContain(`  ${key.padEnd(12)}${about}`);
  expect(readColumns(undefined, EXPORTED)).toHaveLength(EXPORTED.length);
});

test('counts what they suffer from, each flag of each', () => {
  expect(accountLine([BOARD, SILENT, row(3, ill('fan 1 stands', 'fan'))], 500)).toBe(
    '3 of 500 miners: 2 fan, 1 hashboard, 1 silent',
  );
  expect(accountLine([WELL], undefined)).toBe('1 miner');
  expect(accountLine([], 500)).toBe('0 of 500 miners');
  expect(accountLine([row(1, { isUnknown: true }), row(2, { opsStatus: 'off_rack', flags: 1 })], undefined)).toBe(
    '2 miners: 1 unknown, 1 off rack',
  );
});

test('--since bounds what is missing and what is new, and nothing else', () => {
  const gone = (hours: number) => row(hours, { isOnline: false, seenAtMs: NOW_MS - hours * HOUR_MS });
  const { isListed, states } = readFilter({ missing: true }, 24 * HOUR_MS);
  expect(states).toEqual(['missing']);
  expect([gone(2), gone(30), WELL].map((miner) => isListed(miner, NOW_MS))).toEqual([true, false, false]);
  const recent = row(1, { createdAtMs: NOW_MS - 30 * HOUR_MS });
  const fresh = readFilter({ new: true }, 48 * HOUR_MS);
  // The word for new ones is of one day.
  expect(fresh.states).toEqual([]);
  expect([recent, WELL].map((miner) => fresh.isListed(miner, NOW_MS))).toEqual([true, false]);
  expect(() => readFilter({ ill: true }, MINUTE_MS)).toThrow(
    expect.objectContaining({ problems: [{ path: '--since', message: expect.any(String) }] }),
  );
  expect(readFilter({}, undefined).isListed(WELL, NOW_MS)).toBe(true);
});

test('JSON has SI units, UTC, names in snake_case, and null for what is not known', () => {
  const json = minerJson(BOARD);
  expect(json).toMatchObject({
    ...{ ip: '10.31.3.45', rack: 'C03', position: 4, hashrate_hs: 104.2e12, power_w: 3_250 },
    flags: ['fan', 'hashboard'],
    flag: { type: 'hashboard', since: new Date(NOW_MS - 14 * MINUTE_MS).toISOString() },
    seen_at: new Date(NOW_MS - 9_000).toISOString(),
  });
  expect(minerJson(SILENT)).toMatchObject({ hashrate_hs: null, power_w: null, temp_c: null, flag: null });
  for (const name of Object.keys(json)) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
});

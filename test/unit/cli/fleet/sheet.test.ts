// Miners in spreadsheets: titles with units, a column per algorithm, and nothing that is run as a formula.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import { expect, onTestFinished, test } from 'vitest';
import { readColumns } from '../../../../src/cli/fleet/list/choices.ts';
import { EXPORTED } from '../../../../src/cli/fleet/list/columns.ts';
import { listSheet, writeWorkbook } from '../../../../src/cli/fleet/list/sheet.ts';
import type { BoardMiner } from '../../../../src/model/board/board-miner.ts';
import { csvText } from '../../../../src/wire/api/sheet/encode.ts';
import { HOUR_MS, ill, NOW_MS, row } from './rows.ts';

const MINERS = [
  row(44, { rack: 'C03', position: 12, worker: '=HYPERLINK("http://evil.example")', hashrateHs: 104.2345678e12 }),
  row(45, { model: 'L7', algorithm: 'scrypt', hashrateHs: 9.5e9, powerW: 3_425, ...ill('fan 1 stands', 'fan') }),
  row(46, { isOnline: false, seenAtMs: NOW_MS - 2 * HOUR_MS }),
];
const sheetOf = (miners: readonly BoardMiner[], columns?: string) =>
  listSheet(readColumns(columns, EXPORTED), miners, NOW_MS);
const rowsOf = (miners: readonly BoardMiner[], columns?: string): string[][] =>
  parse(csvText(sheetOf(miners, columns)));

test('rates are in the unit of the algorithm, which the title says; each algorithm has its own column', () => {
  expect(rowsOf(MINERS, 'address,rate,efficiency')).toEqual([
    ['address', 'rate scrypt GH/s', 'rate sha256 TH/s', 'efficiency scrypt J/GH', 'efficiency sha256 J/TH'],
    ['10.31.3.44', '', '104.235', '', '31.1797'],
    ['10.31.3.45', '9.5', '', '360.526', ''],
    ['10.31.3.46', '', '', '', ''],
  ]);
  expect(rowsOf(MINERS.slice(0, 1), 'rate,power,temp')[0]).toEqual(['rate TH/s', 'power W', 'temp °C']);
});

test('has location, worker, flags with their text, and the age; a formula is guarded', () => {
  const [head = [], first = [], second = []] = rowsOf(MINERS);
  const of = (cells: readonly string[], title: string) => cells[head.indexOf(title)];
  expect([of(first, 'rack'), of(first, 'position'), of(first, 'age s')]).toEqual(['C03', '12', '9']);
  expect(of(first, 'worker')).toBe(`'=HYPERLINK("http://evil.example")`);
  expect(of(second, 'state')).toBe('fan 1 stands, since 07:58');
  expect(of(second, 'flags')).toBe('fan');
  expect(of(second, 'since')).toBe('2026-11-23 07:58:00');
});

test('a workbook has the same cells, numbers as numbers, and moments of the clock of this host', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-xlsx-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'miners.xlsx');
  await writeWorkbook(path, sheetOf(MINERS, 'address,rate,worker,seen'));
  const files = unzipSync(readFileSync(path));
  const textOf = (name: string) => new TextDecoder().decode(files[name]);
  const sheet = textOf('xl/worksheets/sheet1.xml');
  const cells = [...sheet.matchAll(/<c r="(\w+)"[^>]*>(?:<v>([^<]*)<\/v>)?/g)].map(([, place, value]) => [
    place,
    value,
  ]);
  const strings = [...textOf('xl/sharedStrings.xml').matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, text]) => text);
  const at = new Map(cells.map(([place = '', value]) => [place, value]));
  expect(strings).toContain('rate sha256 TH/s');
  expect(strings).toContain(`'=HYPERLINK("http://evil.example")`);
  expect(at.get('C2')).toBe('104.235');
  // Days since 1899-12-30.
  const seen = new Date(NOW_MS - 9_000);
  const local = Date.UTC(seen.getFullYear(), seen.getMonth(), seen.getDate(), seen.getHours(), seen.getMinutes(), 51);
  expect(Number(at.get('E2'))).toBeCloseTo(local / 86_400_000 + 25_569, 4);
});

// The table of bars. Each line is written by `report` of test/fault/table.ts, in whatever process it is measured; all
// are printed together at the end of the run, beside the figures of the last run of the whole forms. A run of all bars
// that has no line for one of them has failed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { z } from 'zod';

const barSchema = z.object({ id: z.string(), value: z.string(), bar: z.string(), isMet: z.boolean() });
type Bar = z.infer<typeof barSchema>;

const wholeSchema = z.array(barSchema.extend({ date: z.iso.date() }));
type Whole = z.infer<typeof wholeSchema>;

/** What the last `npm run test:soak` measured: it takes hours, so its figures are kept with the sources. */
const WHOLE_FILE = join(import.meta.dirname, '../fault/whole-figures.json');

/** Every bar that is promised. */
const PROMISED = [
  ...Array.from({ length: 27 }, (_, index) => `R${index + 1}`),
  ...Array.from({ length: 24 }, (_, index) => `S${index + 1}`),
];

export class BarTable implements Reporter {
  #vitest: Vitest | undefined;
  #folder: string | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    this.#folder = mkdtempSync(join(tmpdir(), 'pithead-bars-'));
    // The workers of the tests are started with the environment of this process.
    process.env.PITHEAD_BARS_FILE = join(this.#folder, 'bars.jsonl');
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const bars = readBars(process.env.PITHEAD_BARS_FILE);
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    const vitest = this.#vitest;
    const projects = new Set(vitest?.projects.map(({ name }) => name));
    const isSoak = projects.has('soak');
    if (!isSoak && !projects.has('fault')) return;
    // A part of the tests has only a part of the figures.
    if (isSoak && vitest?.config.testNamePattern === undefined) keepWhole(bars);
    if (bars.length > 0) process.stdout.write(`\n${toTable(bars, readWhole())}\n`);
    const isOfAll = ['fault', 'fault-quiet', 'fault-alone', 'packaging'].every((name) => projects.has(name));
    if (vitest === undefined || !isOfAll || vitest.config.testNamePattern !== undefined) return;
    // Fewer files = those that somebody named.
    if (modules.length < (await vitest.globTestSpecifications()).length) return;
    const missing = PROMISED.filter((id) => bars.every((bar) => bar.id !== id));
    if (missing.length === 0) return;
    process.stderr.write(`no test has measured ${missing.join(', ')}: each bar needs a line in the table\n`);
    process.exitCode = 1;
  }
}

function readBars(file: string | undefined): Bar[] {
  const lines = (file === undefined ? '' : textOf(file)).split('\n').filter((line) => line !== '');
  return sorted(lines.map((line) => barSchema.parse(JSON.parse(line))));
}

function readWhole(): Whole {
  const text = textOf(WHOLE_FILE);
  return text === '' ? [] : wholeSchema.parse(JSON.parse(text));
}

/** Replaces the figures of the bars that were measured now; others stay with their date. */
function keepWhole(bars: readonly Bar[]): void {
  if (bars.length === 0) return;
  const date = new Date().toISOString().slice(0, 10);
  const measured = new Set(bars.map(({ id }) => id));
  const kept = readWhole().filter(({ id }) => !measured.has(id));
  const all = sorted([...kept, ...bars.map((bar) => ({ ...bar, date }))]);
  writeFileSync(WHOLE_FILE, `${JSON.stringify(all, undefined, 2)}\n`);
}

function toTable(bars: readonly Bar[], whole: Whole): string {
  const table = new Table({
    head: ['bar', 'value', 'promised', ''],
    colWidths: [10, 100, 42, 8],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { id, value, bar, isMet } of bars) table.push([id, value, bar, wordOf(isMet)]);
  for (const { id, value, bar, isMet, date } of whole)
    table.push([id, `${date}, whole form: ${value}`, bar, wordOf(isMet)]);
  const missed = bars.filter(({ isMet }) => !isMet).map(({ id, value, bar }) => `${id} missed: ${value}; ${bar}`);
  return [table.toString(), ...missed].join('\n');
}

const wordOf = (isMet: boolean) => (isMet ? 'pass' : 'MISSED');

const sorted = <T extends Bar>(bars: readonly T[]): T[] =>
  bars.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));

/** Empty where there is none. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

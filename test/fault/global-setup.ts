// Collects the bars of all test files of a run and prints them as one table at its end.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { z } from 'zod';

const barSchema = z.object({ id: z.string(), value: z.string(), bar: z.string(), isMet: z.boolean() });

export function setup(): () => void {
  // One table for all projects of a run.
  if (process.env.PITHEAD_BARS_FILE !== undefined) return () => {};
  const folder = mkdtempSync(join(tmpdir(), 'pithead-bars-'));
  const file = join(folder, 'bars.jsonl');
  // The workers of the tests are started with the environment of this process.
  process.env.PITHEAD_BARS_FILE = file;
  return () => {
    const bars = readBars(file);
    rmSync(folder, { recursive: true, force: true });
    const table = new Table({ head: ['bar', 'value', 'promised', ''], style: { head: [], border: [] } });
    for (const { id, value, bar, isMet } of bars) table.push([id, value, bar, isMet ? 'pass' : 'MISSED']);
    if (bars.length > 0) process.stdout.write(`\n${table.toString()}\n`);
  };
}

function readBars(file: string) {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  const bars = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => barSchema.parse(JSON.parse(line)));
  return bars.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
}

// The calls of a process on its files, and what it promised in between, as strace saw them.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUTBOX_FILE } from '../../src/agent/outbox/open.ts';
import { trace } from './strace.ts';

const CHILD = join(import.meta.dirname, 'disk-child.ts');

export type Step =
  | { readonly kind: 'write'; readonly file: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'cut'; readonly file: string; readonly length: number }
  | { readonly kind: 'sync'; readonly file: string }
  | { readonly kind: 'promise'; readonly outcome: number };

const unhex = (text: string) => Buffer.from(text.replaceAll('\\x', ''), 'hex');

function readTrace(text: string): Step[] {
  return text.split('\n').flatMap((line): Step[] => {
    const write = /pwrite64\(\d+<([^>]*)>, "([^"]*)", \d+, (\d+)\) = \d/.exec(line);
    if (write !== null)
      return [{ kind: 'write', file: nameOf(write[1]), at: Number(write[3]), bytes: unhex(write[2] ?? '') }];
    const cut = /ftruncate\(\d+<([^>]*)>, (\d+)\) = 0/.exec(line);
    if (cut !== null) return [{ kind: 'cut', file: nameOf(cut[1]), length: Number(cut[2]) }];
    const sync = /(?:fsync|fdatasync)\(\d+<([^>]*)>\) = 0/.exec(line);
    if (sync !== null) return [{ kind: 'sync', file: nameOf(sync[1]) }];
    const said = /\bwrite\(1<[^>]*>, "([^"]*)"/.exec(line);
    const outcome = /^committed \d+ (\d+)/.exec(said === null ? '' : unhex(said[1] ?? '').toString())?.[1];
    return outcome === undefined ? [] : [{ kind: 'promise', outcome: Number(outcome) }];
  });
}

/** strace prints names as bytes, too. */
const nameOf = (text = '') => {
  const path = text.startsWith('\\x') ? unhex(text).toString() : text;
  return path.slice(path.lastIndexOf('/') + 1);
};

/** What is written goes here first, and from there into the database. */
export const LOG_FILE = `${OUTBOX_FILE}-wal`;
/** Its database and the log of it. */
export const DURABLE: readonly string[] = [OUTBOX_FILE, LOG_FILE];

/** Runs disk-child.ts, or another child, with the folder and these arguments. */
export async function record(folder: string, args: readonly string[], child = CHILD): Promise<Step[]> {
  mkdirSync(folder);
  const log = `${folder}.trace`;
  const options = ['-y', '-xx', '-s', '2000000', '-e', 'trace=pwrite64,ftruncate,fsync,fdatasync,write', '-o', log];
  await trace(options, [child, folder, ...args]);
  return readTrace(readFileSync(log, 'utf8'));
}

/** How many promises there are, and how many of them before the log of the database was synced. */
export function countUnsynced(steps: readonly Step[], log: string): { promises: number; unsynced: number } {
  let [promises, unsynced, isPending] = [0, 0, false];
  for (const step of steps) {
    if (step.kind === 'write' && step.file === log) isPending = true;
    else if (step.kind === 'sync' && step.file === log) isPending = false;
    else if (step.kind === 'promise') {
      promises++;
      if (isPending) unsynced++;
    }
  }
  return { promises, unsynced };
}

/** The files after these calls, where of what was not synced afterwards half is lost. */
export function afterPowerCut(steps: readonly Step[], random: () => number): Map<string, Buffer> {
  const lastSync = new Map<string, number>();
  for (const [index, step] of steps.entries()) if (step.kind === 'sync') lastSync.set(step.file, index);
  const files = new Map<string, Buffer>();
  for (const [index, step] of steps.entries()) {
    if (step.kind !== 'write' && step.kind !== 'cut') continue;
    if (index < (lastSync.get(step.file) ?? -1) || random() < 0.5) apply(files, step);
  }
  return files;
}

function apply(files: Map<string, Buffer>, step: Step): void {
  if (step.kind === 'write') {
    const before = files.get(step.file) ?? Buffer.alloc(0);
    const after = Buffer.alloc(Math.max(before.length, step.at + step.bytes.length));
    before.copy(after);
    step.bytes.copy(after, step.at);
    files.set(step.file, after);
  } else if (step.kind === 'cut') {
    files.set(step.file, Buffer.from((files.get(step.file) ?? Buffer.alloc(0)).subarray(0, step.length)));
  }
}

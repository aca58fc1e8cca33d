// The calls of a process on its files, and what it promised in between, as strace saw them.
import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OUTBOX_FILE } from '../../src/agent/outbox/open.ts';
import { type Said, saidIn } from './said.ts';
import { trace } from './strace.ts';

const CHILD = join(import.meta.dirname, 'disk-child.ts');

export type Step =
  | { readonly kind: 'write'; readonly file: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'cut'; readonly file: string; readonly length: number }
  | { readonly kind: 'sync' | 'create' | 'remove'; readonly file: string }
  | { readonly kind: 'rename'; readonly file: string; readonly to: string }
  /** Of the folder: names that were made, given or removed. */
  | { readonly kind: 'sync-names' }
  | Said;

/** What a process promises with the bytes that it writes to `descriptor`, which is no file of its folder. */
export type PromisesIn = (bytes: Buffer, descriptor: number) => readonly Said[];

const TRACED = 'trace=pwrite64,write,writev,ftruncate,fsync,fdatasync,openat,unlink,unlinkat,rename,renameat,renameat2';

const unhex = (text: string) => Buffer.from(text.replaceAll('\\x', ''), 'hex');
/** strace prints names as bytes, too. */
const nameIn = (text = '') => (text.startsWith('\\x') ? unhex(text).toString() : text);
/** All that is quoted, as one. */
const quoted = (text: string) =>
  Buffer.concat([...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => unhex(hex)));

/** One call in each line, also where another thread came in between. */
function* wholeCalls(text: string): Generator<string> {
  const begun = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, pid = '', call = line] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (call.endsWith(' <unfinished ...>')) {
      begun.set(pid, call.slice(0, -' <unfinished ...>'.length));
      continue;
    }
    const end = /^<\.\.\. \w+ resumed>(.*)$/.exec(call)?.[1];
    // What was cut in two is padded.
    yield end === undefined ? call : `${begun.get(pid) ?? ''}${end}`.replace(/\) += (\S+)$/, ') = $1');
  }
}

/** `folder` as the kernel names it. What happens outside of it is left out. */
export function readTrace(text: string, folder: string, promisesIn: PromisesIn): Step[] {
  const steps: Step[] = [];
  /** Of the files that are there. */
  const lengths = new Map<string, number>();
  const isOurs = (path: string) => dirname(path) === folder;
  const write = (file: string, at: number, bytes: Buffer) => {
    lengths.set(file, Math.max(lengths.get(file) ?? 0, at + bytes.length));
    steps.push({ kind: 'write', file, at, bytes });
  };
  for (const call of wholeCalls(text)) {
    const [, name = ''] = /^(\w+)\(/.exec(call) ?? [];
    const result = / = (\d+)(?:<[^>]*>)?$/.exec(call)?.[1];
    if (result === undefined) continue;
    const [, descriptor = '', shown] = /^\w+\((\d+)<([^>]*)>/.exec(call) ?? [];
    const path = nameIn(shown);
    const file = basename(path);
    if (name === 'fsync' || name === 'fdatasync') {
      if (path === folder) steps.push({ kind: 'sync-names' });
      else if (isOurs(path)) steps.push({ kind: 'sync', file });
    } else if (name === 'ftruncate' && isOurs(path)) {
      const length = Number(/, (\d+)\) = 0$/.exec(call)?.[1]);
      lengths.set(file, length);
      steps.push({ kind: 'cut', file, length });
    } else if (name === 'pwrite64' && isOurs(path)) {
      write(file, Number(/, (\d+)\) = \d+$/.exec(call)?.[1]), quoted(call).subarray(0, Number(result)));
    } else if (name === 'write' || name === 'writev') {
      const bytes = quoted(call).subarray(0, Number(result));
      // Node writes a file in one piece after the other.
      if (isOurs(path)) write(file, lengths.get(file) ?? 0, bytes);
      else steps.push(...promisesIn(bytes, Number(descriptor)));
    } else steps.push(...namesChanged(name, call, isOurs, lengths));
  }
  return steps;
}

function namesChanged(
  name: string,
  call: string,
  isOurs: (path: string) => boolean,
  lengths: Map<string, number>,
): Step[] {
  const [from = '', to = ''] = [...call.matchAll(/"([^"]*)"/g)].map(([, text]) => nameIn(text));
  if (!isOurs(from)) return [];
  const file = basename(from);
  if (name === 'openat') {
    if (!call.includes('O_CREAT') || lengths.has(file)) return [];
    lengths.set(file, 0);
    return [{ kind: 'create', file }];
  }
  const length = lengths.get(file) ?? 0;
  lengths.delete(file);
  if (!name.startsWith('rename')) return [{ kind: 'remove', file }];
  lengths.set(basename(to), length);
  return [{ kind: 'rename', file, to: basename(to) }];
}

/** What a file of SQLite ends with that it makes anew at each start. */
export const SHARED_MEMORY = '-shm';
/** What is written goes here first, and from there into the database. */
export const LOG_FILE = `${OUTBOX_FILE}-wal`;
/** Its database and the log of it. */
export const DURABLE: readonly string[] = [OUTBOX_FILE, LOG_FILE];

/** Of a child that prints them, each in a line of its own. */
export const printed: PromisesIn = (bytes, descriptor) =>
  descriptor === 1 ? bytes.toString().split('\n').flatMap(saidIn) : [];

type Recording = { readonly child?: string; readonly promisesIn?: PromisesIn };

/** Runs disk-child.ts, or another child, with the folder and these arguments. */
export async function record(
  folder: string,
  args: readonly string[],
  { child = CHILD, promisesIn = printed }: Recording = {},
): Promise<Step[]> {
  mkdirSync(folder);
  const log = `${folder}.trace`;
  await trace(['-y', '-xx', '-s', '2000000', '-e', TRACED, '-o', log], [child, folder, ...args]);
  return readTrace(readFileSync(log, 'utf8'), realpathSync(folder), promisesIn);
}

/** How many promises there are, and how many of them before all that was written was synced. */
export function countUnsynced(steps: readonly Step[]): { promises: number; unsynced: number } {
  const pending = new Set<string>();
  let [promises, unsynced] = [0, 0];
  for (const step of steps) {
    if (step.kind === 'write' && !step.file.endsWith(SHARED_MEMORY)) pending.add(step.file);
    else if (step.kind === 'sync' || step.kind === 'remove') pending.delete(step.file);
    else if (step.kind === 'promise') {
      promises++;
      if (pending.size > 0) unsynced++;
    }
  }
  return { promises, unsynced };
}

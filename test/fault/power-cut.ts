// A disk that loses its power: of what was written and not synced each piece is there, torn or missing, and of the
// names that were changed in a folder the last ones are as they were before.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countUnsynced, SHARED_MEMORY, type Step } from './recorded-writes.ts';
import { report } from './table.ts';

/** When the files were written. */
const WRITTEN = new Date('2026-01-02T03:04:05Z');
/** A disk writes so much at once. */
const SECTOR_BYTES = 512;

type Change = Extract<Step, { kind: 'write' | 'cut' }>;
type Content = { bytes: Buffer; readonly unsynced: Change[] };
type Names = Map<string, Content>;

export class UnsyncedDisk {
  /** As the process sees them. */
  readonly #names: Names = new Map();
  readonly #synced: Names = new Map();
  #unsyncedNames: ((names: Names) => void)[] = [];

  take(step: Step): void {
    if (step.kind === 'write' || step.kind === 'cut') this.#contentOf(step.file).unsynced.push(step);
    else if (step.kind === 'sync') sync(this.#contentOf(step.file));
    else if (step.kind === 'sync-names') {
      for (const change of this.#unsyncedNames) change(this.#synced);
      this.#unsyncedNames = [];
    } else if (step.kind === 'create') {
      const content: Content = { bytes: Buffer.alloc(0), unsynced: [] };
      this.#change((names) => names.set(step.file, content));
    } else if (step.kind === 'remove') this.#change((names) => names.delete(step.file));
    else if (step.kind === 'rename') {
      const content = this.#contentOf(step.file);
      this.#change((names) => {
        names.delete(step.file);
        names.set(step.to, content);
      });
    }
  }

  /** What the power left, by name. `random` gives [0, 1). */
  afterCut(random: () => number): Map<string, Buffer> {
    const names = new Map(this.#synced);
    for (const change of this.#unsyncedNames.slice(0, Math.floor(random() * (this.#unsyncedNames.length + 1))))
      change(names);
    return new Map([...names].map(([name, content]) => [name, torn(content, random)]));
  }

  #contentOf(file: string): Content {
    const found = this.#names.get(file);
    if (found === undefined) throw new Error(`${file} was used before it was made`);
    return found;
  }

  #change(change: (names: Names) => void): void {
    change(this.#names);
    this.#unsyncedNames.push(change);
  }
}

function sync(content: Content): void {
  content.bytes = changed(content.bytes, content.unsynced);
  content.unsynced.length = 0;
}

function torn({ bytes, unsynced }: Content, random: () => number): Buffer {
  const left = unsynced.flatMap((change) => {
    const luck = random();
    if (luck < 0.4) return [];
    if (luck < 0.8 || change.kind === 'cut') return [change];
    const sectors = Math.floor(random() * Math.ceil(change.bytes.length / SECTOR_BYTES));
    return [{ ...change, bytes: change.bytes.subarray(0, sectors * SECTOR_BYTES) }];
  });
  return changed(bytes, left);
}

const endOf = (change: Change) => (change.kind === 'cut' ? change.length : change.at + change.bytes.length);

/** A copy. */
function changed(before: Buffer, changes: readonly Change[]): Buffer {
  const bytes = Buffer.alloc(changes.reduce((most, change) => Math.max(most, endOf(change)), before.length));
  before.copy(bytes);
  let { length } = before;
  for (const change of changes) {
    if (change.kind === 'write') change.bytes.copy(bytes, change.at);
    else bytes.fill(0, change.length);
    length = change.kind === 'write' ? Math.max(length, endOf(change)) : change.length;
  }
  return bytes.subarray(0, length);
}

type Cuts = {
  readonly count: number;
  /** Gives [0, 1). */
  readonly random: () => number;
  /** Made anew for each. */
  readonly folder: string;
  /** Also before the first promise: nothing is lost by then, and what is half made must not stop a start. */
  readonly isEarly?: boolean;
};

/**
 * Cuts the power at so many moments. `missing` gets a folder with what was left, and what had been promised and noted
 * by then; it gives what of that is not there. Gives what was missing, in words.
 */
export async function cutAgainAndAgain(
  steps: readonly Step[],
  { count, random, folder, isEarly = false }: Cuts,
  missing: (folder: string, promised: readonly string[]) => Promise<readonly string[]> | readonly string[],
): Promise<string[]> {
  const promise = steps.findIndex(({ kind }) => kind === 'promise');
  if (promise < 0) throw new Error('nothing was promised');
  const first = isEarly ? 0 : promise;
  const moment = () => first + Math.floor(random() * (steps.length - first));
  const ends = Array.from({ length: count }, moment).sort((a, b) => a - b);
  const disk = new UnsyncedDisk();
  const promised: string[] = [];
  const problems: string[] = [];
  let taken = 0;
  for (const end of ends) {
    for (; taken <= end; taken++) {
      const step = steps[taken];
      if (step?.kind === 'promise' || step?.kind === 'note') promised.push(step.what);
      else if (step !== undefined) disk.take(step);
    }
    mkdirSync(folder);
    for (const [name, bytes] of disk.afterCut(random)) {
      if (name.endsWith(SHARED_MEMORY)) continue;
      writeFileSync(join(folder, name), bytes);
      // The host is back much later.
      utimesSync(join(folder, name), WRITTEN, WRITTEN);
    }
    const lost = await missing(folder, promised);
    if (lost.length > 0) problems.push(`after ${end} calls: ${lost.slice(0, 5).join()}`);
    rmSync(folder, { recursive: true, force: true });
  }
  return problems;
}

/** The line of the table. */
export function reportCuts(
  what: string,
  about: { steps: readonly Step[]; seed: number; count: number; problems: readonly string[] },
): void {
  const { steps, seed, count, problems } = about;
  const { promises, unsynced } = countUnsynced(steps);
  for (const problem of problems.slice(0, 5)) process.stdout.write(`  ${what}: ${problem}\n`);
  report({
    id: 'R4',
    value: `${what}: ${promises - unsynced} of ${promises} acknowledgements after their sync; ${count} prefixes, seed ${seed}: ${problems.length} with something promised missing`,
    bar: '100 %; of 1,000 prefixes, over all databases, 0 missing',
    isMet: promises > 0 && unsynced === 0 && problems.length === 0,
  });
}

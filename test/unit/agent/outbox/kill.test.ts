import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOutbox } from '../../../../src/agent/outbox/outbox.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/schema.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/sqlite.ts';
import { contents, makeDir } from './farm-records.ts';

const KILLS = Number(process.env.PITHEAD_KILLS ?? 20);

/** Runs the child until it has committed once and a random moment more, kills it, and returns the lines that it wrote. */
async function runAndKill(path: string, first: number): Promise<string[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'kill-child.ts'), path, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8');
  const hasCommitted = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('committed')) resolve();
    });
    child.on('exit', () => reject(new Error('the child ended by itself')));
  });
  const hasClosed = once(child, 'close');
  await hasCommitted;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
  child.kill('SIGKILL');
  await hasClosed;
  // What follows the last line end was cut by the kill.
  return text.split('\n').slice(0, -1);
}

test(`${KILLS} kills at any moment lose nothing that was committed and store nothing twice`, {
  timeout: 120_000,
}, async () => {
  const dir = makeDir();
  try {
    const path = dir.path('outbox.db');
    const committed: number[] = [];
    /** What the peer has stored, by sequence number, and what it was given again. */
    const stored = new Map<number, string>();
    const epochs = new Set<string>();
    let produced = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      for (const line of await runAndKill(path, produced + 1)) {
        const [what, ...rest] = line.split(' ');
        if (what === 'produced') produced = Math.max(produced, Number(rest[0]));
        if (what === 'committed') committed.push(Number(rest[0]));
        if (what !== 'stored') continue;
        const [epoch = '', seq, gaps, samples = ''] = rest;
        epochs.add(epoch);
        const before = stored.get(Number(seq));
        if (before !== undefined) expect(`${gaps} ${samples}`).toBe(before);
        stored.set(Number(seq), `${gaps} ${samples}`);
      }
    }
    const db = openSqlite(path, [outboxMigrations]);
    const outbox = createOutbox(db, { clock: systemClock, log: silentLog, newEpoch: randomUUID });
    await outbox.flush();
    for (const slice of outbox.read('farm', { maxSlices: 1e6, maxBytes: 1e9 })) {
      const { samples, gaps } = contents([slice]);
      const text = `${gaps.length} ${samples.join(',')}`;
      expect(stored.get(slice.header.seq) ?? text).toBe(text);
      stored.set(slice.header.seq, text);
    }
    await outbox.close();
    db.close();

    const seqs = [...stored.keys()].sort((a, b) => a - b);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    const numbers = seqs.flatMap((seq) =>
      (stored.get(seq)?.split(' ')[1] ?? '').split(',').filter(Boolean).map(Number),
    );
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(committed.filter((number) => !numbers.includes(number))).toEqual([]);
    expect(epochs.size).toBe(1);
    const gaps = seqs.reduce((sum, seq) => sum + Number(stored.get(seq)?.split(' ')[0]), 0);
    expect(gaps).toBe(KILLS);
    // One kill loses at most what waited for its slice.
    expect(produced - numbers.length).toBeLessThanOrEqual(KILLS * 5);
  } finally {
    dir.remove();
  }
});

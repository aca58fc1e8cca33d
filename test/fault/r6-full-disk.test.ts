import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'vitest';
import { z } from 'zod';
import { makeDir } from '../unit/agent/outbox/farm-records.ts';
import { isFull, isWithin, report } from './table.ts';

/** A name space of our own, in which an ordinary user may mount. */
const canMount = spawnSync('unshare', ['-Urm', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;

const resultSchema = z.object({
  produced: z.number(),
  stored: z.number(),
  declared: z.number(),
  isExact: z.boolean(),
  newestKept: z.boolean(),
  outcomes: z.number(),
  outcomesKept: z.number(),
  journalled: z.number(),
  journalFailures: z.number(),
  wasFull: z.boolean(),
  normalMs: z.number(),
});

test.runIf(canMount)(
  'a disk that others fill: it goes on, keeps the newest, and is itself again when there is space',
  async () => {
    const dir = makeDir();
    const seconds = isFull ? 8 : 1.2;
    const child = spawn(
      'unshare',
      [
        '-Urm',
        'sh',
        '-c',
        'mount -t tmpfs -o size=64m none "$1" && exec "$2" "$3" "$1" "$4"',
        'sh',
        dir.path(''),
        process.execPath,
        join(import.meta.dirname, 'full-disk-child.ts'),
        String(seconds),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await once(child, 'close');
    dir.remove();
    const r = resultSchema.parse(JSON.parse(text.trim().split('\n').at(-1) ?? 'null'));
    report({
      id: 'R6',
      value: `${r.produced} samples: ${r.stored} stored + ${r.declared} declared; ${r.outcomesKept} of ${r.outcomes} outcomes; journal ${r.journalled} written, ${r.journalFailures} refused (they come again); normal ${(r.normalMs / 1_000).toFixed(1)} s after space came back`,
      bar: '0 crashes, tasks work, newest kept, gaps exact, normal ≤ 60 s',
      isMet:
        child.exitCode === 0 &&
        r.wasFull &&
        r.isExact &&
        r.newestKept &&
        r.outcomesKept === r.outcomes &&
        // Where the disk is filled at one stroke the journal may be the first to meet it, before the ballast is let go.
        r.journalFailures <= 1 &&
        isWithin(r.normalMs, 60_000),
    });
  },
);

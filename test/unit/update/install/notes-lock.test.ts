// One update at a time: the next one waits, or is refused, and a process that dies leaves no lock.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { lockUpdates } from '../../../../src/update/install/notes.ts';
import { tempFolder } from '../release.ts';

test('a second one waits for the first, or is refused', async () => {
  const folder = tempFolder();
  const unlock = await lockUpdates(folder, { clock: systemClock, waitMs: 0 });
  await expect(lockUpdates(folder, { clock: systemClock, waitMs: 0 })).rejects.toMatchObject({ code: 'update.busy' });
  const second = lockUpdates(folder, { clock: systemClock, waitMs: 30_000 });
  unlock();
  (await second)();
});

test('the lock of a killed process is free', async () => {
  const folder = tempFolder();
  const script = `const { DatabaseSync } = require('node:sqlite');
    const db = new DatabaseSync(${JSON.stringify(join(folder, 'lock.sqlite'))});
    db.exec('BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => db, 1000);`;
  const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(holder.stdout, 'data');
  await expect(lockUpdates(folder, { clock: systemClock, waitMs: 0 })).rejects.toMatchObject({ code: 'update.busy' });
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  (await lockUpdates(folder, { clock: systemClock, waitMs: 30_000 }))();
});

// `pithead restore`, killed at each of its steps: what is there is the database from before, with all that its log
// held, or the one that was put back. Never none, and never parts of both.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../packaging/binary/bundle.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { throwIfDamaged } from '../../src/base/storage/sqlite.ts';
import { openStorage } from '../../src/service/storage.ts';
import { openStore } from '../../src/service/store/store.ts';
import { ROOT } from '../arch/sources.ts';
import { canTrace, trace } from './strace.ts';
import { isFull, report } from './table.ts';

const CALLS = ['rename', 'link', 'unlink', 'fsync', 'pwrite64'] as const;
/** Each of those that change names, some of the others. */
const STEP = { rename: 1, link: 1, unlink: isFull ? 1 : 2, fsync: isFull ? 1 : 6, pwrite64: isFull ? 4 : 24 };
const SAVED = 3;
const LATER = 5;

test.runIf(canTrace)('killed at each step: the one or the other, whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-restore-kills-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const whole = join(folder, 'whole');
  mkdirSync(whole);
  const store = await openStore(join(whole, 'service.sqlite'));
  await store.tenants.ensure({ id: 'w', name: 'W', slug: 'default' }, { id: 'f', name: 'F' }, 1);
  const tell = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        store.events.recordForService({ type: 'backup_failed', atMs: at, detail: {} }),
      ),
    );
  await tell(SAVED);
  const checkpoint = new DatabaseSync(join(whole, 'service.sqlite'));
  checkpoint.exec(`VACUUM INTO '${join(folder, 'x.backup')}'; PRAGMA wal_checkpoint(TRUNCATE)`);
  await tell(LATER);
  // What came later is in its log alone, as a kill leaves it.
  const killed = join(folder, 'killed');
  cpSync(whole, killed, { recursive: true });
  checkpoint.close();
  await store.close();

  const state = join(folder, 'state');
  const config = join(folder, 'pithead.yaml');
  writeFileSync(config, JSON.stringify({ stateDir: 'state', networks: [] }));
  // It starts in half the time that its sources take.
  const program = await bundle(ROOT, join(folder, 'program'));
  const command = [program, 'restore', join(folder, 'x.backup'), '--config', config];
  const renew = () => {
    rmSync(state, { recursive: true, force: true });
    cpSync(killed, state, { recursive: true });
  };
  const countEvents = async () => {
    const storage = await openStorage({
      ...{ databasePath: join(state, 'service.sqlite'), clock: systemClock, log: silentLog, version: '0' },
    });
    try {
      return (await storage.store.events.list({ farmId: 'f', window: { limit: 100, offset: 0 } })).total;
    } finally {
      await storage.close();
    }
  };

  renew();
  const calls = join(folder, 'calls');
  await trace(['-qq', '-o', calls, '-e', `trace=${CALLS.join(',')}`], command);
  expect(await countEvents()).toBe(SAVED);
  const text = readFileSync(calls, 'utf8');
  const outcomes = { before: 0, restored: 0 };
  for (const call of CALLS) {
    const count = text.match(new RegExp(`\\b${call}\\(`, 'g'))?.length ?? 0;
    const steps = Array.from({ length: count }, (_, at) => at + 1).filter(
      (nth) => nth === count || nth % STEP[call] === 0,
    );
    for (const nth of steps) {
      renew();
      // Where calls are filtered in the kernel, this strace kills nobody.
      const options = [
        '-f',
        '-qq',
        '-o',
        '/dev/null',
        '-e',
        `trace=${call}`,
        '-e',
        `inject=${call}:signal=SIGKILL:when=${nth}`,
      ];
      spawnSync('strace', [...options, process.execPath, ...command], { timeout: 60_000 });
      const path = join(state, 'service.sqlite');
      using db = new DatabaseSync(path);
      throwIfDamaged(db, path);
      db.close();
      const events = await countEvents();
      expect([SAVED, SAVED + LATER], `${call} ${nth}`).toContain(events);
      outcomes[events === SAVED ? 'restored' : 'before']++;
      expect(readdirSync(state).filter((name) => /restoring|damaged/.test(name))).toEqual([]);
    }
  }
  report({
    id: 'R3',
    value: `restore killed at ${outcomes.before + outcomes.restored} steps: ${outcomes.before} as before, ${outcomes.restored} as put back`,
    bar: 'each the one or the other, whole',
    isMet: outcomes.before > 0 && outcomes.restored > 0,
  });
});

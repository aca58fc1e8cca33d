// Cuts and flips in the agent's own databases and in that of the service: each is opened in time or set aside and that
// is told; what is there afterwards is what was there, as far as the file can show that it was changed.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openTrustRecord, TRUST_FILE } from '../../src/agent/device/trust/trust-record.ts';
import { auditMigrations, openAuditTrail } from '../../src/agent/state/audit-trail.ts';
import { openAgentDatabase } from '../../src/agent/state/database.ts';
import { newRow } from '../../src/agent/tasks/queue/admission.ts';
import { openJournal, tasksMigrations } from '../../src/agent/tasks/queue/journal.ts';
import { systemClock } from '../../src/base/clock.ts';
import { renderError } from '../../src/base/errors.ts';
import { openStorage } from '../../src/service/storage.ts';
import { makeDir } from '../unit/agent/outbox/farm-records.ts';
import { recordingLog } from '../unit/service-http/rig.ts';
import { seeded } from './seeded.ts';
import { isFull, isWithin, report } from './table.ts';

/** Of each kind of file. */
const TRIALS = isFull ? 670 : 40;
const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_124);
const ROWS = 60;

type Kind = {
  readonly file: string;
  /** Makes the file with ROWS rows in it. */
  make(folder: string): Promise<void> | void;
  /** Opens it as the program does; rows that are there, and whether anything was told. Throws where it refuses. */
  open(folder: string): Promise<{ rows: number; isTold: boolean }>;
};

const task = (number: number) =>
  newRow(
    {
      ...{ taskId: `task-${number}`, batchId: 'b', name: 'miner.system.reboot', minerKey: 'm', source: 'service' },
      ...{ uplink: 'company', params: { number }, expiresMs: 9 },
    },
    1,
  );
const openAgent = (folder: string, log = recordingLog()) =>
  openAgentDatabase(join(folder, 'agent.sqlite'), [tasksMigrations, auditMigrations], log);

const AGENT: Kind = {
  file: 'agent.sqlite',
  make(folder) {
    const db = openAgent(folder);
    const journal = openJournal(db, undefined, openAuditTrail(db, { nowMs: () => 1, vault: undefined }));
    for (let number = 0; number < ROWS; number++) journal.insert([task(number)]);
    db.close();
  },
  async open(folder) {
    const log = recordingLog();
    const db = openAgent(folder, log);
    try {
      const journal = openJournal(db, undefined, openAuditTrail(db, { nowMs: () => 2, vault: undefined }));
      journal.insert([task(ROWS)]);
      const rows = Number(db.prepare('SELECT count(*) AS n FROM tasks_journal').get()?.n) - 1;
      return { rows, isTold: log.lines.some(({ level }) => level === 'error') };
    } finally {
      db.close();
    }
  },
};

const device = (number: number) => ({
  ...{
    ip: `10.0.0.${number}`,
    family: 'antminer',
    driver: 'antminer-stock',
    confidence: 'sure' as const,
    model: 'S19',
  },
  ...{ realm: null, networkMac: null, mac: null, serialNumber: `SN${number}`, tlsKey: null, why: null },
  ...{ isCovered: true, sinceMs: 1, seenAtMs: 1 },
});

const TRUST: Kind = {
  file: TRUST_FILE,
  make(folder) {
    const record = openTrustRecord(join(folder, TRUST_FILE), systemClock);
    expect(record.accept(Array.from({ length: ROWS }, (_, number) => device(number)))).toBe(true);
    record.close();
  },
  async open(folder) {
    const record = openTrustRecord(join(folder, TRUST_FILE), systemClock);
    try {
      const rows = record.allPins().length;
      // Nothing is made up in its place: it says that it cannot be used.
      return { rows, isTold: record.fault() !== undefined };
    } finally {
      record.close();
    }
  },
};

const openService = (folder: string, log = recordingLog()) =>
  openStorage({ databasePath: join(folder, 'service.sqlite'), clock: systemClock, log, version: '0' });

const SERVICE: Kind = {
  file: 'service.sqlite',
  async make(folder) {
    const { store, close } = await openService(folder);
    await store.tenants.ensure({ id: 'w', name: 'W', slug: 'default' }, { id: 'f', name: 'F' }, 1);
    for (let number = 0; number < ROWS; number++)
      await store.events.recordForService({ type: 'backup_failed', atMs: number, detail: { number } });
    await close();
  },
  async open(folder) {
    const log = recordingLog();
    const { store, close, fault } = await openService(folder, log);
    try {
      await store.tenants.ensure({ id: 'w', name: 'W', slug: 'default' }, { id: 'f', name: 'F' }, 1);
      const { total } = await store.events.list({ farmId: 'f', window: { limit: 1, offset: 0 } });
      return { rows: total, isTold: fault() !== undefined || log.lines.some(({ level }) => level === 'error') };
    } finally {
      await close();
    }
  },
};

/** A refusal that names the file, or what is wrong with the disk: a person knows what to do. */
const isRefusal = (text: string) => /\.sqlite|damaged|malformed|not a database|corrupt/i.test(text);

test.each([AGENT, TRUST, SERVICE])(
  '$file: cut or flipped anywhere it opens or says so',
  { timeout: 240_000 },
  async (kind) => {
    const random = seeded(SEED);
    const dir = makeDir({ isQuick: true });
    const crashes: string[] = [];
    let [slowestMs, undeclared, told] = [0, 0, 0];
    try {
      const made = dir.path('whole');
      mkdirSync(made);
      await kind.make(made);
      const checkpoint = new DatabaseSync(join(made, kind.file));
      checkpoint.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      checkpoint.close();
      const whole = readFileSync(join(made, kind.file));
      for (let trial = 0; trial < TRIALS; trial++) {
        const folder = dir.path(`trial-${trial}`);
        mkdirSync(folder);
        const path = join(folder, kind.file);
        copyFileSync(join(made, kind.file), path);
        writeFileSync(path, hurt(whole, random));
        const startMs = performance.now();
        try {
          const { rows, isTold } = await kind.open(folder);
          if (isTold) told++;
          if (rows < ROWS && !isTold) undeclared++;
        } catch (error) {
          const text = renderError(error);
          if (isRefusal(text)) told++;
          else crashes.push(`trial ${trial}: ${text}`);
        }
        slowestMs = Math.max(slowestMs, performance.now() - startMs);
        rmSync(folder, { recursive: true, force: true });
      }
    } finally {
      dir.remove();
    }
    for (const text of crashes.slice(0, 5)) process.stdout.write(`R7: ${kind.file}: ${text}\n`);
    report({
      id: 'R7',
      value: `${kind.file}: ${TRIALS} cuts and flips, seed ${SEED}: ${crashes.length} crashes, ${undeclared} losses undeclared, ${told} told, slowest start ${Math.round(slowestMs)} ms`,
      bar: '0, 0, start ≤ 5 s',
      isMet: crashes.length + undeclared === 0 && told > 0 && isWithin(slowestMs, 5_000),
    });
  },
);

function hurt(bytes: Buffer, random: () => number): Buffer {
  if (random() < 0.4) return bytes.subarray(0, Math.floor(random() * bytes.length));
  const copy = Buffer.from(bytes);
  for (let flip = 0; flip < 1 + random() * 4; flip++) {
    const at = Math.floor(random() * copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  }
  return copy;
}

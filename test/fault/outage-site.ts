// The service of an outage in a process of its own, on a database in a file, with another agent that reports meanwhile.
// What it has stored is read from the database: what its own answers say is not believed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { HEAP_FLAGS } from '../../src/base/platform/heap-flags.ts';
import { openAdmin } from '../../src/service/admin.ts';
import { startFakeAgent } from '../e2e/fake-agent.ts';
import { clockBehind } from '../support/clock-behind.ts';
import { hostRecord } from '../unit/service-http/records.ts';
import { temporaryFolder } from '../unit/service-http/rig.ts';
import { enrolBy } from '../unit/service-http/wire-agent.ts';

const DAY_MS = 86_400_000;
const NEIGHBOUR_EVERY_MS = 500;

const storedSchema = z.object({
  /** Minutes of miners in the history of the farm, and the sum of the numbers that its samples have. */
  samples: z.int(),
  numbers: z.int(),
  miners: z.int(),
  /** The sum of the numbers that the miners show now. */
  newest: z.int(),
  /** Slices that took effect, and how many of them followed the one before. */
  slices: z.int(),
  inOrder: z.int(),
  gaps: z.int(),
});
const numberSchema = z.object({ n: z.number().nullable() });

/** `awayMs` = how long the outage lasts, by the clocks of agent and service. */
export async function startOutageSite(miners: number, awayMs: number) {
  const target = join(temporaryFolder(), 'service.sqlite');
  const admin = await openAdmin(target, { clock: clockBehind(() => awayMs) });
  const { workspaceId, farmId } = await admin.ensureDefaults();
  const { id: otherFarmId } = await admin.createFarm({ workspaceId, name: 'neighbour' });
  const { code } = await admin.createEnrolmentCode({ farmId, ttlMs: DAY_MS, maxMiners: miners });
  const neighbour = await admin.createEnrolmentCode({ farmId: otherFarmId, ttlMs: DAY_MS });
  await admin.close();
  watchCursors(target);
  let running = await startProcess(target, '0', awayMs);
  const { url } = running;
  const { body } = await enrolBy({ url }, code);
  const identity = { agentId: String(body.agent_id), token: String(body.token) };
  const database = new DatabaseSync(target, { readOnly: true, timeout: 5_000 });
  onTestFinished(() => database.close());
  const newest = database.prepare('SELECT max(hashrate) AS n FROM miners');
  return {
    url,
    identity,
    /** Nothing listens any more. */
    async kill(): Promise<void> {
      running.child.kill('SIGKILL');
      await once(running.child, 'exit');
    },
    /** So much later. */
    async startAgain(): Promise<void> {
      running = await startProcess(target, new URL(url).port, 0);
    },
    /** Another agent reports too: each then gets its quota alone. */
    async startNeighbour(): Promise<void> {
      const other = await startFakeAgent(neighbour.code, () => url);
      const reporting = setInterval(() => other.report([hostRecord(Date.now())]), NEIGHBOUR_EVERY_MS);
      onTestFinished(() => {
        clearInterval(reporting);
        other.stop();
      });
    },
    /** The highest number that a miner shows. */
    newestNumber: () => numberSchema.parse(newest.get()).n ?? 0,
    stored: () => storedSchema.parse(database.prepare(STORED).get({ farm: farmId, agent: identity.agentId })),
  };
}

async function startProcess(target: string, port: string, behindMs: number) {
  const child: ChildProcess & { stdout: NodeJS.ReadableStream } = spawn(
    process.execPath,
    [...HEAP_FLAGS, join(import.meta.dirname, 'outage-service.ts'), target, port, String(behindMs)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the service ended with code ${code} before it was ready`);
  });
  const lines = createInterface({ input: child.stdout });
  const url = String((await Promise.race([once(lines, 'line'), ended]))[0]);
  ended.catch(() => {});
  return { child, url };
}

/** From here on the database itself notes each step of a cursor. */
function watchCursors(target: string): void {
  const database = new DatabaseSync(target, { timeout: 5_000 });
  database.exec(`
    CREATE TABLE steps (id INTEGER PRIMARY KEY, agent TEXT, before INTEGER, after INTEGER);
    CREATE TRIGGER step_first AFTER INSERT ON ingest_cursors BEGIN INSERT INTO steps VALUES (NULL, new.agent_id, 0, new.seq); END;
    CREATE TRIGGER step_next AFTER UPDATE ON ingest_cursors BEGIN INSERT INTO steps VALUES (NULL, new.agent_id, old.seq, new.seq); END;
  `);
  database.close();
}

const STORED = `
  SELECT
    (SELECT coalesce(sum(accounted), 0) FROM history_cells WHERE farm_id = :farm) AS samples,
    (SELECT coalesce(sum(hashrate), 0) FROM history_cells WHERE farm_id = :farm) AS numbers,
    (SELECT count(*) FROM miners WHERE farm_id = :farm) AS miners,
    (SELECT coalesce(sum(hashrate), 0) FROM miners WHERE farm_id = :farm) AS newest,
    (SELECT count(*) FROM steps WHERE agent = :agent) AS slices,
    (SELECT count(*) FROM steps WHERE agent = :agent AND after = before + 1) AS inOrder,
    (SELECT count(*) FROM gaps WHERE agent_id = :agent) AS gaps`;

// The service loses its power between storing a slice and saying so, and at other moments: what it said it has is
// there, and there once. On both databases. PITHEAD_SEED and PITHEAD_KILLS replay or lengthen it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { startCluster } from '../postgres/cluster.ts';
import { buildOther } from './program.ts';
import { seeded } from './seeded.ts';
import { killAgainAndAgain } from './service-kills.ts';
import { isFull, report } from './table.ts';

/** Of them five of six between commit and acknowledgement. */
const KILLS = Number(process.env.PITHEAD_KILLS ?? (isFull ? 120 : 6));
const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_121);

let folder: string;
let program: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-kill-'));
  program = buildOther(folder, 'service-process.ts');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function kill(database: string, target: string, signal: AbortSignal): Promise<void> {
  const figures = await killAgainAndAgain({ target, kills: KILLS, program, random: seeded(SEED), signal });
  const { kills, afterCommit, slices, lost, doubled, seconds, problems } = figures;
  for (const problem of problems) process.stdout.write(`R2: ${database}: ${problem}\n`);
  report({
    id: 'R2',
    value: `${database}: ${kills} kills in ${seconds} s, ${afterCommit} of them between commit and acknowledgement, seed ${SEED}: ${slices} slices, ${lost} lost, ${doubled} doubled`,
    bar: '100 there on each database: 0 lost, 0 rows doubled',
    isMet: lost + doubled + problems.length === 0 && afterCommit >= Math.floor((KILLS * 5) / 6) && slices > kills,
  });
}

/** A kill takes a second, and several on a machine that does much else too. */
const timeout = Math.max(400_000, KILLS * 6_000);

test.concurrent('on the embedded database nothing is lost and nothing is doubled', { timeout }, ({ signal }) =>
  kill('SQLite', join(mkdtempSync(join(folder, 'database-')), 'service.sqlite'), signal),
);

test.concurrent('on PostgreSQL neither', { timeout }, async ({ skip, signal, onTestFinished }) => {
  const cluster = await startCluster().catch((error: unknown) => {
    if (process.env.PITHEAD_REQUIRE_POSTGRES === '1') throw error;
    return skip(`PostgreSQL could not be started: ${error}`);
  });
  onTestFinished(() => cluster.stop());
  await kill('PostgreSQL', cluster.url, signal);
});

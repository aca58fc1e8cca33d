// The service loses its power between storing a slice and saying so, and at other moments: what it said it has is there, and there once.
// The whole count of kills is `npm run test:kill`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { killAgainAndAgain, seeded } from '../kill/kills.ts';
import { startCluster } from '../postgres/cluster.ts';

const SEED = 20_261_121;

test('on the embedded database nothing is lost and nothing is doubled', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-kill-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const target = join(folder, 'service.sqlite');
  const figures = await killAgainAndAgain({ target, kills: 10, limitMs: 5_000, random: seeded(SEED) });
  expect(figures).toMatchObject({ lost: 0, doubled: 0, problems: [] });
  expect(figures.afterCommit).toBeGreaterThan(0);
});

test('on PostgreSQL neither', async ({ skip }) => {
  const cluster = await startCluster().catch((error: unknown) => {
    if (process.env.PITHEAD_REQUIRE_POSTGRES === '1') throw error;
    return skip(`PostgreSQL could not be started: ${error}`);
  });
  onTestFinished(() => cluster.stop());
  const figures = await killAgainAndAgain({ target: cluster.url, kills: 6, limitMs: 3_000, random: seeded(SEED) });
  expect(figures).toMatchObject({ lost: 0, doubled: 0, problems: [] });
  expect(figures.afterCommit).toBeGreaterThan(0);
});

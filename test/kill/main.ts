// `npm run test:kill -- [--kills N] [--database postgres] [--seed N]`: the whole count of kills, with its figures. Ends with 1 when anything is
// lost or there twice.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../postgres/cluster.ts';
import { killAgainAndAgain, seeded } from './kills.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    database: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: '20261121' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'pithead-kill-'));
const cluster = values.database === 'postgres' ? await startCluster() : undefined;
try {
  const target = cluster?.url ?? join(folder, 'service.sqlite');
  const random = seeded(Number(values.seed));
  const { problems, ...figures } = await killAgainAndAgain({ target, kills: Number(values.kills), random });
  process.stdout.write(`${JSON.stringify({ database: values.database, ...figures })}\n${problems.join('\n')}\n`);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
}

// R4 and R5 for the embedded database of the service: slices that it acknowledged, agents that it enrolled, tasks that
// it answered for.
import { expect, test } from 'vitest';
import { makeDir } from '../unit/agent/outbox/farm-records.ts';
import { failEachCall, filesOf, reportFailures } from './failing-disk.ts';
import { cutAgainAndAgain, reportCuts } from './power-cut.ts';
import { buildOther } from './program.ts';
import { type PromisesIn, printed, record } from './recorded-writes.ts';
import { seeded } from './seeded.ts';
import { missingIn, SERVICE_FILE } from './service-promises.ts';
import { canTrace } from './strace.ts';
import { isFull } from './table.ts';

const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_125);
const ROUNDS = 3;
const PREFIXES = isFull ? 200 : 40;
/** A slice writes to many pages, one after the other. */
const ONE_OF = isFull ? 32 : 150;

/** What the service sends to an agent or a client, and what the child prints besides. */
const sent: PromisesIn = (bytes, descriptor) => {
  const text = bytes.toString('latin1');
  if (descriptor === 1) return printed(bytes, descriptor).filter(({ what }) => /^(holds|key) /.test(what));
  const acks = [...text.matchAll(/\{"type":"ack","epoch":"([^"]*)","seq":(\d+)/g)];
  const tasks = text.startsWith('HTTP/1.1 200') ? [...text.matchAll(/"id":"([^"]*)"[^{}]*"task_count":(\d+)/g)] : [];
  const agents = text.startsWith('HTTP/1.1 20') ? [...text.matchAll(/"agent_id":"([^"]*)"/g)] : [];
  return [
    ...acks.map(([, epoch, seq]) => `ack ${epoch} ${seq}`),
    ...tasks.map(([, id, count]) => `batch ${id} ${count}`),
    ...agents.map(([, id]) => `agent ${id}`),
  ].map((what) => ({ kind: 'promise' as const, what }));
};

test.runIf(canTrace)('a power cut at any moment loses nothing that the service answered for', async () => {
  const dir = makeDir({ isQuick: true });
  try {
    const child = buildOther(dir.path('.'), 'service-database-child.ts');
    const steps = await record(dir.path('recorded'), [String(ROUNDS)], { child, promisesIn: sent });
    const kinds = steps.flatMap((step) => ('what' in step ? [step.what.split(' ')[0]] : []));
    expect(new Set(kinds)).toEqual(new Set(['key', 'agent', 'holds', 'ack', 'batch']));
    const cuts = { count: PREFIXES, random: seeded(SEED), folder: dir.path('trial') };
    const problems = await cutAgainAndAgain(steps, cuts, missingIn);
    // Where the log is never synced it shows: else the trial would prove nothing.
    const unsynced = steps.filter((step) => step.kind !== 'sync' || step.file !== `${SERVICE_FILE}-wal`);
    expect(await cutAgainAndAgain(unsynced, { ...cuts, count: 5 }, missingIn)).not.toEqual([]);
    reportCuts(SERVICE_FILE, { steps, seed: SEED, ...cuts, problems });
  } finally {
    dir.remove();
  }
});

test.runIf(canTrace)('whichever write, sync or open of the service fails: no crash, no silent loss', async () => {
  const dir = makeDir({ isQuick: true });
  try {
    const child = buildOther(dir.path('.'), 'service-failing-child.ts');
    const files = [...filesOf(SERVICE_FILE), `${SERVICE_FILE}.lock`];
    const sparse = ['pwrite64'] as const;
    const outcome = await failEachCall({ folder: dir.path('.'), child, files, step: ONE_OF, sparse, seed: SEED });
    reportFailures(`${SERVICE_FILE}, of writes 1 of ${ONE_OF}, seed ${SEED}`, outcome);
  } finally {
    dir.remove();
  }
});

// R4 and R5 for what an agent keeps beside its outbox: tasks, numbers of messages, miners and their states, logins and
// accepted devices, the key of the service.
import { expect, test } from 'vitest';
import { TRUST_FILE } from '../../src/agent/device/trust/trust-record.ts';
import { agentDatabasePath } from '../../src/agent/state/database.ts';
import { makeDir } from '../unit/agent/outbox/farm-records.ts';
import { missingIn, PIN_FILE } from './agent-promises.ts';
import { failEachCall, filesOf, reportFailures } from './failing-disk.ts';
import { cutAgainAndAgain, reportCuts } from './power-cut.ts';
import { buildOther } from './program.ts';
import { record } from './recorded-writes.ts';
import { seeded } from './seeded.ts';
import { canTrace } from './strace.ts';
import { isFull } from './table.ts';

const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_125);
const ROUNDS = 4;
const PREFIXES = isFull ? 300 : 40;
const AGENT_FILE = agentDatabasePath('');
const WHAT = `${AGENT_FILE}, ${TRUST_FILE}`;

test.runIf(canTrace)('a power cut at any moment loses nothing that the agent relies on', async () => {
  const dir = makeDir({ isQuick: true });
  try {
    const child = buildOther(dir.path('.'), 'agent-databases-child.ts');
    const steps = await record(dir.path('recorded'), [String(ROUNDS)], { child });
    const cuts = { count: PREFIXES, random: seeded(SEED), folder: dir.path('trial'), isEarly: true };
    const problems = await cutAgainAndAgain(steps, cuts, missingIn);
    // Where one of the logs is never synced it shows: else the trial would prove nothing.
    for (const name of [AGENT_FILE, TRUST_FILE]) {
      const unsynced = steps.filter((step) => step.kind !== 'sync' || step.file !== `${name}-wal`);
      expect(await cutAgainAndAgain(unsynced, { ...cuts, count: 10 }, missingIn), name).not.toEqual([]);
    }
    reportCuts(WHAT, { steps, seed: SEED, ...cuts, problems });
  } finally {
    dir.remove();
  }
});

test.runIf(canTrace)(
  'whichever write, sync, open or rename fails: no crash, no silent loss, no task twice',
  async () => {
    const dir = makeDir({ isQuick: true });
    try {
      const child = buildOther(dir.path('.'), 'agent-failing-child.ts');
      const files = [...filesOf(AGENT_FILE), ...filesOf(TRUST_FILE), PIN_FILE, `${PIN_FILE}.new`];
      const later = await failEachCall({ folder: dir.path('.'), child, files, step: isFull ? 1 : 16 });
      reportFailures(WHAT, later);
      // What makes the tables is the same for all of them.
      const atFirst = { folder: dir.path('.'), child, files, args: ['new'], seed: SEED, step: isFull ? 23 : 80 };
      reportFailures(`${WHAT}, made anew, 1 of ${atFirst.step} calls, seed ${SEED}`, await failEachCall(atFirst));
    } finally {
      dir.remove();
    }
  },
);

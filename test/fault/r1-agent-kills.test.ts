// The agent, as it is shipped, is killed again and again while it polls and reports; it is the same agent with the same
// miners each time. What it had committed is stored, once; what it had not is at most one slice, in a declared gap.
// PITHEAD_SEED and PITHEAD_KILLS replay or lengthen it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../e2e/until.ts';
import { type AgentSite, pause, startAgentSite } from './agent-site.ts';
import { judge, ledgerBytes, missing, progressOf, type Verdict, watchDatabase } from './ledger.ts';
import { buildProgram } from './program.ts';
import { seeded } from './seeded.ts';
import { isFull, report } from './table.ts';

const SITES = isFull ? 4 : 1;
const KILLS = Number(process.env.PITHEAD_KILLS ?? (isFull ? 200 : 6));
const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_121);
const MINERS = 20;
/** Of the outbox: what is more would be a second slice. */
const SLICE_RECORDS = 250;
/**
 * When a kill comes: this long at most after the start, after the first sample of the run, or after the first that was
 * committed.
 */
const MOMENTS = [
  { share: 0.2, after: [], ms: 400 },
  { share: 0.4, after: ['produced', 'committed'], ms: 1_200 },
  { share: 0.4, after: ['committed'], ms: 500 },
] as const;

function momentOf(share: number): (typeof MOMENTS)[number] {
  const [start, sample, commit] = MOMENTS;
  return share < start.share ? start : share < start.share + sample.share ? sample : commit;
}

async function killAgainAndAgain(program: string, index: number, kills: number): Promise<Verdict> {
  const random = seeded(SEED + index);
  const site = await startAgentSite({ miners: MINERS, mix: 'all' });
  try {
    const databasePath = join(site.folder, 'service.sqlite');
    const ledgerPath = join(site.folder, 'ledger');
    watchDatabase(databasePath);
    const start = () => site.startAgent({ program, environment: { PITHEAD_LEDGER: ledgerPath } });
    let agent = start();
    await until(
      () => site.miners(),
      (miners) => miners.length === MINERS,
      60_000,
    );
    const before = await lasting(site);
    const killedAt: number[] = [];
    while (killedAt.length < kills) {
      const startedByte = ledgerBytes(ledgerPath);
      const { after, ms } = momentOf(random());
      await until(
        () => progressOf(ledgerPath, startedByte),
        (progress) => killedAt.length === 0 || after.length === 0 || after.some((each) => each === progress),
        30_000,
      );
      await pause(random() * ms);
      agent.kill('SIGKILL');
      killedAt.push(Date.now());
      await agent.end();
      agent = start();
    }
    const since = Date.now();
    await until(
      () => notReadSince(site, since),
      (miners) => miners.length === 0,
      60_000,
    );
    expect(await lasting(site)).toEqual(before);
    agent.kill('SIGTERM');
    const { code, stderr } = await agent.end();
    expect(code, stderr).toBe(0);
    await deliverTheRest(site, program, ledgerPath);

    expect(site.stored('SELECT id FROM agents')).toHaveLength(1);
    expect(site.stored(`SELECT miner_id FROM events WHERE type = 'appeared'`)).toHaveLength(MINERS);
    const gaps = site.stored(`SELECT from_at, to_at FROM gaps WHERE reason = 'restart'`);
    for (const at of killedAt) {
      const covering = gaps.filter(({ from_at, to_at }) => Number(from_at) <= at && at <= Number(to_at));
      expect(covering, `declared for the kill at ${at}`).toHaveLength(1);
    }
    return judge(ledgerPath, databasePath, waitingIn(site));
  } finally {
    await site.stop();
  }
}

/** What the last run committed while it ended is sent by one that has nothing of its own to say. */
async function deliverTheRest(site: AgentSite, program: string, ledgerPath: string): Promise<void> {
  const look = () => missing(ledgerPath, join(site.folder, 'service.sqlite'));
  if (look() === 0) return;
  site.configure({ networks: [] });
  const agent = site.startAgent({ program, environment: { PITHEAD_LEDGER: ledgerPath } });
  await until(look, (count) => count === 0, 60_000);
  agent.kill('SIGTERM');
  expect((await agent.end()).code).toBe(0);
}

const waitingIn = (site: AgentSite) => new Set(site.kept('SELECT id FROM outbox_slices').map(({ id }) => Number(id)));

async function notReadSince(site: AgentSite, since: number) {
  const miners = await site.miners();
  const late = miners.filter(({ last_updated_at }) => !(Date.parse(last_updated_at ?? '') > since));
  return late.map(({ ip, model, firmware_version, status, unstable_reason, last_updated_at }) => ({
    ip,
    model,
    firmware_version,
    status,
    unstable_reason,
    last_updated_at,
  }));
}

/** What stays of a miner, whatever happens to the agent. */
async function lasting(site: AgentSite) {
  const miners = await site.miners();
  return miners.map(({ id, created_at, ip }) => ({ id, created_at, ip })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** A kill takes two seconds on a machine that does much else too, and more where that is slow. */
const timeout = Math.max(400_000, KILLS * 6_000);

test(`${KILLS} kills of the agent lose nothing that was committed, and nothing takes effect twice`, {
  timeout,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-program-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = await buildProgram(folder, 'ledger-writer.ts');
  const startMs = performance.now();
  const verdicts = await Promise.all(
    Array.from({ length: SITES }, (_, index) => killAgainAndAgain(program, index, Math.ceil((KILLS - index) / SITES))),
  );
  const sum = (of: (verdict: Verdict) => number) => verdicts.reduce((total, verdict) => total + of(verdict), 0);
  const lost = sum(({ lost }) => lost);
  const doubled = sum(({ doubled }) => doubled);
  const undeclared = sum(({ undeclared }) => undeclared);
  const most = Math.max(...verdicts.map(({ uncommittedMost }) => uncommittedMost));
  for (const problem of verdicts.flatMap(({ problems }) => problems)) process.stdout.write(`R1: ${problem}\n`);
  report({
    id: 'R1',
    value: `${KILLS} kills in ${Math.round((performance.now() - startMs) / 1_000)} s, seed ${SEED}: ${sum(({ committed }) => committed)} samples committed, ${lost} lost, ${doubled} doubled; ${sum(({ uncommitted }) => uncommitted)} not yet committed, at most ${most} by one kill, ${undeclared} of them in no gap`,
    bar: '200 kills: 0 lost, 0 doubled, <= 1 slice uncommitted (250 records), declared',
    isMet: lost + doubled + undeclared === 0 && most <= SLICE_RECORDS,
  });
});

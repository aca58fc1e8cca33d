// Kills the service again and again while an agent reports to it, then counts what is in the database: every slice
// once, nothing missing, nothing twice. Five of six kills come between the commit and its acknowledgement, the others
// at any moment.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { systemClock } from '../../src/base/clock.ts';
import { openAdmin } from '../../src/service/admin.ts';
import type { ReportRecord } from '../../src/wire/records.ts';
import { type FakeAgent, startFakeAgent } from '../e2e/fake-agent.ts';
import { until } from '../e2e/until.ts';
import { queryDatabase } from '../support/database.ts';
import { minerRecord } from '../unit/service-http/records.ts';

/** Miners that are in every slice; each slice brings one more of its own. */
const LASTING = 10;
const MINUTE_MS = 60_000;

export type Figures = {
  readonly kills: number;
  /** Of them between the commit and the acknowledgement. */
  readonly afterCommit: number;
  readonly slices: number;
  /** Slices that are not in the database, and rows that are there more often than they were reported. */
  readonly lost: number;
  readonly doubled: number;
  readonly seconds: number;
  /** What is wrong in words; empty when nothing is. */
  readonly problems: readonly string[];
};

export type KillOptions = {
  readonly target: string;
  readonly kills: number;
  /** The service as a program: `service-process.ts`, built. */
  readonly program: string;
  /** Gives [0, 1). */
  readonly random: () => number;
  /** Ends it with an error; no process is left. */
  readonly signal: AbortSignal;
};

export async function killAgainAndAgain({ target, kills, program, random, signal }: KillOptions): Promise<Figures> {
  const startMs = performance.now();
  const admin = await openAdmin(target, { clock: systemClock });
  const { farmId } = await admin.ensureDefaults();
  const { code } = await admin.createEnrolmentCode({ farmId, ttlMs: 3_600_000 });
  await admin.close();
  let running = await startService(program, target, 0);
  const agent = await startFakeAgent(
    code,
    () => running.url,
    (attempt) => attempt % 2 === 0,
  );
  // Minutes of the past, so that each is its own in history.
  const beginMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 24 * 60 * MINUTE_MS;
  const report = () => agent.report(recordsOf(agent.seq() + 1, beginMs));
  let [done, afterCommit] = [0, 0];
  signal.addEventListener('abort', () => running.child.kill('SIGKILL'));
  try {
    for (; done < kills; done++) {
      const isAfterCommit = done % 6 < 5;
      await stopService(running, 'SIGKILL');
      signal.throwIfAborted();
      running = await startService(program, target, isAfterCommit ? agent.seq() + 1 + Math.floor(random() * 3) : 0);
      for (let count = 0; count < 4; count++) report();
      if (isAfterCommit) {
        await ended(running);
        afterCommit++;
      } else {
        // From before the agent is back to after everything is stored.
        await pause(random() * 120);
      }
    }
    await stopService(running, 'SIGKILL');
    running = await startService(program, target, 0);
    await until(
      async () => agent.waiting(),
      (waiting) => waiting === 0,
      60_000,
    );
  } finally {
    agent.stop();
    await stopService(running, 'SIGTERM');
  }
  const seconds = Math.round((performance.now() - startMs) / 100) / 10;
  return { kills: done, afterCommit, slices: agent.seq(), seconds, ...(await count(target, agent)) };
}

/** Lasting miners, one that nobody has seen before, an event and a gap that name the slice. */
function recordsOf(seq: number, beginMs: number): ReportRecord[] {
  const atMs = beginMs + (seq % 1_400) * MINUTE_MS;
  const at = new Date(atMs).toISOString();
  const record = (n: number) => minerRecord(n, atMs, { key: keyOf(n) });
  return [
    ...Array.from({ length: LASTING }, (_, n) => record(n)),
    record(LASTING + seq),
    { kind: 'event', type: 'appeared', key: keyOf(LASTING + seq), at, detail: { seq } },
    { kind: 'gap', from: at, to: at, reason: 'restart', count: seq },
  ];
}

const keyOf = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

async function count(target: string, agent: FakeAgent): Promise<Pick<Figures, 'lost' | 'doubled' | 'problems'>> {
  const slices = agent.seq();
  const problems: string[] = [];
  let [lost, doubled] = [0, 0];
  const expectCount = async (what: string, text: string, expected: number) => {
    const found = Number((await queryDatabase(target, text))[0]?.n);
    if (found === expected) return;
    lost += Math.max(0, expected - found);
    doubled += Math.max(0, found - expected);
    problems.push(`${what}: ${found} where ${expected} were reported`);
  };
  await expectCount('cursor', 'SELECT max(seq) AS n FROM ingest_cursors', slices);
  await expectCount('miners', 'SELECT count(*) AS n FROM miners', LASTING + slices);
  await expectCount('documents', 'SELECT count(*) AS n FROM miner_documents', LASTING + slices);
  await expectCount('registrations', 'SELECT count(*) AS n FROM registrations', LASTING + slices);
  await expectCount('serials', 'SELECT count(*) AS n FROM miner_serials', 5 * (LASTING + slices));
  await expectCount(
    'events',
    "SELECT count(*) AS n FROM events WHERE type = 'appeared' AND miner_id IS NOT NULL",
    slices,
  );
  await expectCount(
    'different events',
    "SELECT count(DISTINCT detail) AS n FROM events WHERE type = 'appeared'",
    slices,
  );
  await expectCount('gaps', 'SELECT count(*) AS n FROM gaps', slices);
  await expectCount('different gaps', 'SELECT count(DISTINCT seq) AS n FROM gaps', slices);
  const minutes = Math.min(slices, 1_400);
  await expectCount('minutes in history', 'SELECT sum(accounted) AS n FROM history_cells', LASTING * minutes + slices);
  return { lost, doubled, problems };
}

type Running = { readonly child: ChildProcess; readonly url: string };

async function startService(program: string, target: string, fatalSeq: number): Promise<Running> {
  const child = spawn(process.execPath, [program, target, String(fatalSeq)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // It is started again and again, and most of a start is compiling.
    env: { ...process.env, NODE_COMPILE_CACHE: `${program}.compiled` },
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with code ${code} before it was ready`)));
    createInterface({ input: child.stdout }).once('line', resolve);
  });
  return { child, url };
}

async function ended({ child }: Running): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function stopService(running: Running, signal: NodeJS.Signals): Promise<void> {
  running.child.kill(signal);
  await ended(running);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

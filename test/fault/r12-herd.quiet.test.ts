// Many agents whose service restarts: they come back spread over time, and soon. The uplinks are those of the agent,
// in processes of their own; the service is a real one that stops and starts at the same address.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { DEFAULT_LIMITS } from '../../src/service/http/server.ts';
import { createService } from '../../src/service/service.ts';
import { temporaryFolder } from '../unit/service-http/rig.ts';
import { enrolBy, type Identity } from '../unit/service-http/wire-agent.ts';
import { pause } from './agent-site.ts';
import { isWhole, report } from './table.ts';

const AGENTS = isWhole ? 1_000 : 200;
const PROCESSES = isWhole ? 4 : 2;
const AWAY_MS = 3_000;
const BACK_WITHIN_MS = 120_000;
/** Fifty of a thousand in one second. Of fewer agents chance alone would bring more into one: the time is longer. */
const SPAN_MS = 1_000_000 / AGENTS;
const MOST_IN_SPAN = 50;

const toldSchema = z.object({
  phases: z.array(z.tuple([z.number(), z.number(), z.string()])),
  reasons: z.array(z.string()),
});

async function startUplinks(url: string, identities: readonly Identity[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'herd-child.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  child.stdin.write(`${JSON.stringify({ url, identities })}\n`);
  await once(lines, 'line');
  return async () => {
    const answer = once(lines, 'line');
    child.stdin.write('\n');
    return toldSchema.parse(JSON.parse(String((await answer)[0])));
  };
}

type Seen = { readonly startsMs: number[]; readonly backMs: Map<string, number>; readonly reasons: string[] };

/** Until all are online, or for so long. */
async function watch(told: readonly Awaited<ReturnType<typeof startUplinks>>[], limitMs: number): Promise<Seen> {
  const seen: Seen = { startsMs: [], backMs: new Map(), reasons: [] };
  const endMs = Date.now() + limitMs;
  while (seen.backMs.size < AGENTS && Date.now() < endMs) {
    await pause(500);
    for (const [process, tell] of told.entries()) {
      const { phases, reasons } = await tell();
      seen.reasons.push(...reasons);
      for (const [atMs, index, phase] of phases) {
        const agent = `${process}.${index}`;
        if (phase === 'connecting') seen.startsMs.push(atMs);
        if (phase === 'online') seen.backMs.set(agent, atMs);
        else seen.backMs.delete(agent);
      }
    }
  }
  return seen;
}

/** The most of these moments that lie in one span, wherever it begins. */
function mostWithin(timesMs: readonly number[], spanMs: number): number {
  const sorted = timesMs.toSorted((a, b) => a - b);
  let [from, most] = [0, 0];
  for (const [to, atMs] of sorted.entries()) {
    while (atMs - (sorted[from] ?? atMs) >= spanMs) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

/** Asks as an integrator does, ten times a second: how many answers came, and which were errors of the service. */
function askOnAndOn(url: string, key: string) {
  const statuses: number[] = [];
  const stopping = new AbortController();
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await fetch(url, { headers: { 'x-api-key': key } }).then(
        async (response) => {
          await response.arrayBuffer();
          statuses.push(response.status);
        },
        // Nobody listens while it restarts.
        () => {},
      );
      await pause(100);
    }
  })();
  return async () => {
    stopping.abort();
    await done;
    return statuses;
  };
}

test('agents whose service restarts come back soon, and not all at once', async () => {
  const unlimited = Number.MAX_SAFE_INTEGER;
  const options = {
    databasePath: join(temporaryFolder(), 'service.sqlite'),
    host: '127.0.0.1',
    clock: systemClock,
    log: silentLog,
    version: 'herd',
    // Of one address: in the field each agent has its own.
    limits: {
      ...DEFAULT_LIMITS,
      rates: { perWorkspace: unlimited, perStranger: unlimited, perCode: unlimited, perVisitor: unlimited },
    },
  };
  const before = await createService({ ...options, port: 0 });
  const { url } = await before.start();
  const { workspaceId, farmId } = await before.admin.ensureDefaults();
  const { key } = await before.admin.createKey({ workspaceId, name: 'herd', role: 'viewer' });
  const identities: Identity[] = [];
  for (let n = 0; n < AGENTS; n++) {
    const { code } = await before.admin.createEnrolmentCode({ farmId, ttlMs: 600_000 });
    const { body } = await enrolBy({ url }, code);
    identities.push({ agentId: body.agent_id, token: body.token });
  }
  const share = Math.ceil(AGENTS / PROCESSES);
  const told = await Promise.all(
    Array.from({ length: PROCESSES }, (_, n) => startUplinks(url, identities.slice(n * share, (n + 1) * share))),
  );
  const first = await watch(told, 60_000);
  expect(first.backMs.size).toBe(AGENTS);
  await pause(1_000);

  const asked = askOnAndOn(`${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/miners?page_size=1`, key);
  await before.stop();
  await pause(AWAY_MS);
  const after = await createService({ ...options, port: Number(new URL(url).port) });
  onTestFinished(() => after.stop());
  await after.start();
  const startMs = Date.now();
  const { startsMs, backMs, reasons } = await watch(told, BACK_WITHIN_MS + 10_000);
  const statuses = await asked();
  const backAfterMs = Math.max(...backMs.values()) - startMs;
  const most = mostWithin(startsMs, SPAN_MS);
  const errors = statuses.filter((status) => status >= 500).length;
  const refusals = reasons.filter((reason) => /\b5\d\d\b/.test(reason));
  report({
    id: 'R12',
    value: `${backMs.size} of ${AGENTS} agents back ${(backAfterMs / 1_000).toFixed(1)} s after the service is (away for ${AWAY_MS / 1_000} s); at most ${((100 * most) / AGENTS).toFixed(1)} % begin to connect within ${SPAN_MS / 1_000} s; ${errors} of ${statuses.length} answers to others and ${refusals.length} of ${startsMs.length} to agents 5xx`,
    bar: `all ≤ 120 s, ≤ ${(100 * MOST_IN_SPAN) / AGENTS} % within ${SPAN_MS / 1_000} s, 0 5xx`,
    isMet:
      backMs.size === AGENTS &&
      backAfterMs <= BACK_WITHIN_MS &&
      most <= MOST_IN_SPAN &&
      statuses.length > 20 &&
      errors + refusals.length === 0,
  });
});

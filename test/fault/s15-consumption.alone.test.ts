// Clients that want to cost the service much, all at once: each is refused in its own way, and an honest client hardly
// notices. The service, they and the honest client are processes of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { openAdmin } from '../../src/service/admin.ts';
import { asInstalled, inBackground, type Start } from '../support/background.ts';
import { temporaryFolder } from '../unit/service-http/rig.ts';
import { pause } from './agent-site.ts';
import { quantile } from './by-chance.ts';
import { isFull, isWithin, report } from './table.ts';

/** Of each turn: with those clients, and while they stand still. What else this host does is in both. */
const TURN_MS = isFull ? 5_000 : 1_000;
const TURNS = 6;
const EVERY_MS = 20;

async function startLine({ command, args, environment }: Start) {
  const env = { ...process.env, ...environment };
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const next = async () => String((await once(lines, 'line'))[0]);
  return { child, next, first: await next() };
}

/** How long the answers took, ms, of one request after the other. All must be 200. */
async function ask(url: string, key: string): Promise<number[]> {
  const tookMs: number[] = [];
  const endMs = performance.now() + TURN_MS;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const answer = await fetch(url, { headers: { 'x-api-key': key } });
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
    tookMs.push(performance.now() - startMs);
    await pause(EVERY_MS);
  }
  return tookMs;
}

test('an honest client is served while others want to cost the service much', {
  timeout: 180_000,
}, async () => {
  const target = join(temporaryFolder(), 'service.sqlite');
  const admin = await openAdmin(target, { clock: systemClock });
  const { workspaceId, farmId } = await admin.ensureDefaults();
  const { key } = await admin.createKey({ workspaceId, name: 'honest', role: 'admin' });
  await admin.close();
  const { first: url } = await startLine(asInstalled([join(import.meta.dirname, 'service-process.ts'), target, '0']));
  const list = `/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/miners`;
  const write = `/private-api/v1/${workspaceId}/farms/${farmId}/tasks/search`;
  await ask(url + list, key);
  const [calm, beside]: [number[], number[]] = [[], []];
  const costs = join(import.meta.dirname, 'consumption-child.ts');
  const costly = await startLine(inBackground([costs, url, key, write, list]));
  for (let turn = 0; turn < TURNS; turn++) {
    beside.push(...(await ask(url + list, key)));
    costly.child.kill('SIGSTOP');
    await pause(500);
    calm.push(...(await ask(url + list, key)));
    costly.child.kill('SIGCONT');
    await pause(500);
  }
  const [calmMs, besideMs] = [quantile(calm, 0.99), quantile(beside, 0.99)];
  costly.child.stdin.write('\n');
  const counts = z.record(z.string(), z.record(z.string(), z.number())).parse(JSON.parse(await costly.next()));
  const statuses = (kind: string) => Object.keys(counts[kind] ?? {});
  const has = (kind: string, ...accepted: readonly string[]) =>
    statuses(kind).length > 0 && statuses(kind).every((status) => accepted.includes(status));
  const isRefused =
    has('slow headers', '408') &&
    has('large bodies', '413') &&
    has('deep JSON', '400', '413', '422') &&
    has('large pages', '400', '422') &&
    has('guessed keys', '401', '429') &&
    has('guessed codes', '400', '401', '422', '429');
  const shown = Object.entries(counts).map(
    ([kind, of]) =>
      `${kind} ${Object.entries(of)
        .map(([status, count]) => `${count} x ${status}`)
        .join(', ')}`,
  );
  report({
    id: 'S15',
    value: `1,000 connections, of which 200 drip: honest p99 ${calmMs.toFixed(1)} -> ${besideMs.toFixed(1)} ms; ${shown.join('; ')}`,
    bar: 'p99 ≤ 2 ×, each refused as documented',
    isMet: isRefused && isWithin(besideMs, 2 * calmMs),
  });
});

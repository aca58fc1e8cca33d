// The version before, as it was: its agent and its service with each other, with those of today, and with those of one
// to come, as processes of their own. The one to come is today's code behind its frozen messages. What was frozen of
// the version before is read whole.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { baselineTaskSchema } from '../../src/wire/baseline-signatures.ts';
import { readAgentFrame, readServiceFrame } from '../../src/wire/frames.ts';
import { reportRecordSchema } from '../../src/wire/records.ts';
import { signedNoticeSchema } from '../../src/wire/signed-messages.ts';
import { checkOutBaseline } from '../skew/baseline.ts';
import { meetAsProcesses, type Pair } from '../skew/mixed-versions.ts';
import { loopback } from '../support/loopback.ts';
import { goldenOf } from './speaks-as.ts';
import { report } from './table.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const messages = z.array(z.record(z.string(), z.unknown()));
const golden = z
  .object({ agent: messages, records: messages, service: messages })
  .parse(JSON.parse(readFileSync(join(ROOT, 'fixtures/wire/baseline.json'), 'utf8')));

/** Its words for what has another name today. */
const RENAMED: Readonly<Record<string, string>> = { home: 'instance_id' };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where what was read is not what was said; today's own fields may be beside it. */
function lost(said: unknown, read: unknown, path = ''): string[] {
  if (!isObject(said) || !isObject(read)) return JSON.stringify(said) === JSON.stringify(read) ? [] : [path];
  return Object.entries(said).flatMap(([name, value]) => {
    if (name === 'type' && value === 'lane' && read.type === 'epoch') return [];
    return lost(value, read[RENAMED[name] ?? name], `${path}.${name}`);
  });
}

/** What is not read, or not whole, in words. */
function unread(): string[] {
  const frames = [
    ...golden.agent.map((message) => ({ message, read: readAgentFrame(JSON.stringify(message)) })),
    ...golden.service.map((message) => ({ message, read: readServiceFrame(JSON.stringify(message)) })),
  ];
  const problems = frames.flatMap(({ message, read }) => {
    if (read.kind !== 'frame') return [`${message.type}: ${read.kind}`];
    return lost(message, read.frame, String(message.type));
  });
  for (const record of golden.records) {
    const read = reportRecordSchema.safeParse(record);
    if (!read.success) problems.push(`record ${record.kind}: ${read.error.issues[0]?.message}`);
    else problems.push(...lost(record, read.data, `record ${record.kind}`));
  }
  for (const { type, text } of golden.service) {
    const schema = { 'signed-task': baselineTaskSchema, 'signed-notice': signedNoticeSchema }[String(type)];
    if (schema !== undefined && !schema.safeParse(JSON.parse(String(text))).success) problems.push(`text of ${type}`);
  }
  return problems;
}

/** What went wrong between the two of a pair, in words. */
async function meet({ name, ...pair }: Pair & { readonly name: string }, network: string) {
  const met = await meetAsProcesses(pair, network).catch((error: unknown) => String(error));
  if (typeof met === 'string') return { said: 0, problems: [`${name}: ${met}`] };
  const { agent } = pair.speaksAs ?? {};
  const known = new Set(golden.records.map(({ kind }) => kind));
  const strange = agent === undefined ? 0 : goldenOf(agent).records.filter(({ kind }) => !known.has(kind)).length;
  const problems = met.ends.map((end) => `${name}: ended: ${end}`);
  if (met.reboots !== 1) problems.push(`${name}: ${met.reboots} reboots`);
  if (met.rejected !== strange) problems.push(`${name}: ${met.rejected} records were not read`);
  return { said: met.said, problems };
}

test.runIf(existsSync(join(ROOT, '.git')))(
  'the version before works with itself, with this one and with one to come',
  async () => {
    const before = checkOutBaseline();
    const [agentBefore, serviceBefore] = [
      { agent: before, service: ROOT, hasRoles: true },
      { agent: ROOT, service: before, hasRoles: false },
    ];
    const pairs: readonly (Pair & { readonly name: string })[] = [
      { name: 'agent N-1, service N-1', agent: before, service: before, hasRoles: false },
      { name: 'agent N-1, service N', ...agentBefore },
      { name: 'agent N, service N-1', ...serviceBefore },
      { name: 'agent N-1, service N+1', ...agentBefore, speaksAs: { service: 'newer' } },
      { name: 'agent N+1, service N-1', ...serviceBefore, speaksAs: { agent: 'newer' } },
    ];
    const met = await Promise.all(pairs.map((pair) => meet(pair, loopback(28).network)));
    const problems = [...unread(), ...met.flatMap((one) => one.problems)];
    for (const problem of problems) process.stdout.write(`R22: ${problem}\n`);
    const said = met.reduce((sum, one) => sum + one.said, 0);
    const count = golden.agent.length + golden.records.length + golden.service.length;
    report({
      id: 'R22',
      value: `${pairs.length} pairs of processes with the early 0.2.0 in each: enrolled, reported and rebooted a miner; ${said} frozen messages of one to come said to it; ${count} frozen messages of it read; ${problems.length} problems`,
      bar: 'N-1 x N-1, N, N+1: 100 % of golden messages read, unknown never fatal',
      // Ten of an agent and its records, five of a service.
      isMet: problems.length === 0 && said >= 15,
    });
    expect(count).toBeGreaterThan(10);
  },
  400_000,
);

// The version before, as it was: its agent with the service of today, and its service with the agent of today, as
// processes of their own. What was frozen of it is read whole.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { baselineTaskSchema } from '../../src/wire/baseline-signatures.ts';
import { readAgentFrame, readServiceFrame } from '../../src/wire/frames.ts';
import { reportRecordSchema } from '../../src/wire/records.ts';
import { signedNoticeSchema } from '../../src/wire/signed-messages.ts';
import { checkOutBaseline } from '../skew/baseline.ts';
import { meetAsProcesses } from '../skew/mixed-versions.ts';
import { loopback } from '../support/loopback.ts';
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

test.runIf(existsSync(join(ROOT, '.git')))(
  'the version before and this one work with each other',
  async () => {
    const problems = unread();
    const before = checkOutBaseline();
    const pairs = [
      { name: 'agent N-1, service N', agent: before, service: ROOT, hasRoles: true },
      { name: 'agent N, service N-1', agent: ROOT, service: before, hasRoles: false },
    ];
    for (const { name, ...sources } of pairs) {
      const met = await meetAsProcesses(sources, loopback(28).network).catch((error: unknown) => String(error));
      if (typeof met === 'string') problems.push(`${name}: ${met}`);
      else if (met.reboots !== 1) problems.push(`${name}: ${met.reboots} reboots`);
    }
    for (const problem of problems) process.stdout.write(`R22: ${problem}\n`);
    const count = golden.agent.length + golden.records.length + golden.service.length;
    report({
      id: 'R22',
      value: `${pairs.length} pairs of processes, the early 0.2.0 and today: enrolled, reported and rebooted a miner; ${count} frozen messages of the early 0.2.0; ${problems.length} problems`,
      bar: 'agent N-1, N x service N-1, N: 100 % of golden messages read, never fatal',
      isMet: problems.length === 0,
    });
    expect(count).toBeGreaterThan(10);
  },
  400_000,
);

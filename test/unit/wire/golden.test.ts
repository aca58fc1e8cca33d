// Messages of this version and of one to come, frozen as text: all of them are read, nothing of what is known is lost,
// and nothing that is not known does harm.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { hostSchema } from '../../../src/model/host.ts';
import { minerDocumentSchema, minerExtrasSchema } from '../../../src/model/miner.ts';
import {
  agentFrameSchema,
  readAgentFrame,
  readServiceFrame,
  serviceFrameSchema,
  taskFrameSchema,
} from '../../../src/wire/frames.ts';
import { type ReportRecord, reportRecordSchema } from '../../../src/wire/records.ts';
import { signedNoticeSchema, signedTaskSchema } from '../../../src/wire/signed-messages.ts';

const fileSchema = z.strictObject({
  agent: z.array(z.record(z.string(), z.unknown())),
  records: z.array(z.record(z.string(), z.unknown())),
  service: z.array(z.record(z.string(), z.unknown())),
});
const textOf = (name: string) => readFileSync(new URL(`../../../fixtures/wire/${name}.json`, import.meta.url), 'utf8');
const golden = (name: string) => fileSchema.parse(JSON.parse(textOf(name)));

test('every message of this version is read whole', () => {
  const { agent, records, service } = golden('present');
  for (const frame of agent) expect(readAgentFrame(JSON.stringify(frame))).toEqual({ kind: 'frame', frame });
  for (const frame of service) expect(readServiceFrame(JSON.stringify(frame))).toEqual({ kind: 'frame', frame });
  for (const record of records) expect(reportRecordSchema.parse(record)).toEqual(record);
});

const textsIn = (list: readonly Record<string, unknown>[], wanted: string): unknown[] =>
  list.flatMap(({ type, text }) => (type === wanted ? [JSON.parse(String(text))] : []));
const tasksIn = (list: readonly Record<string, unknown>[]) =>
  textsIn(list, 'signed-task').map((text) => signedTaskSchema.parse(text));
const noticesIn = (list: readonly Record<string, unknown>[]) =>
  textsIn(list, 'signed-notice').map((text) => signedNoticeSchema.parse(text));

/** Whether something of what `present` says is different in what was understood of the newer one. */
function understood(newer: unknown): ReportRecord | undefined {
  return reportRecordSchema.safeParse(newer).data;
}

test('of a newer version everything is read that this one knows', () => {
  const { agent, records, service } = golden('newer');
  const present = golden('present');
  for (const [index, frame] of present.agent.entries())
    if (frame.type !== 'hello') expect(readAgentFrame(JSON.stringify(agent[index]))).toEqual({ kind: 'frame', frame });
  for (const [index, frame] of present.service.entries())
    if (frame.type !== 'signed-task' && frame.type !== 'signed-notice')
      expect(readServiceFrame(JSON.stringify(service[index]))).toEqual({ kind: 'frame', frame });
  for (const text of ['{"type":"weather","of":"tomorrow"}']) {
    expect(readAgentFrame(text)).toEqual({ kind: 'newer', type: 'weather' });
    expect(readServiceFrame(text)).toEqual({ kind: 'newer', type: 'weather' });
  }
  // What was signed stays as it was signed; what it says is read like any other message.
  for (const frame of service.filter(({ text }) => text !== undefined))
    expect(readServiceFrame(JSON.stringify(frame))).toMatchObject({
      frame: { text: frame.text, signature: frame.signature },
    });
  const [command, notCarriedOut] = tasksIn(service);
  expect([command]).toEqual(tasksIn(present.service));
  expect(notCarriedOut).toMatchObject({ task: { name: 'miner.dance.begin' } });
  const [cancel, opsStatus, question] = noticesIn(service);
  const [cancelBefore, opsStatusBefore, questionBefore] = noticesIn(present.service);
  expect(cancel).toEqual(cancelBefore);
  expect(question?.notice).toEqual(questionBefore?.notice);
  expect(opsStatus).toMatchObject({
    notice: { miners: [{ ops_status: 'maintenance' }, { ops_status: 'on_holiday' }] },
  });
  expect(opsStatusBefore).toMatchObject({ notice: { miners: [{ ops_status: 'maintenance' }] } });

  for (const frame of agent) expect(readAgentFrame(JSON.stringify(frame)).kind).not.toBe('bad');
  for (const frame of service) expect(readServiceFrame(JSON.stringify(frame)).kind).not.toBe('bad');

  const [host, miner, gap, task, event, ...others] = records.map(understood);
  const [hostBefore, minerBefore, , taskBefore, eventBefore] = present.records;
  expect(host).toEqual(hostBefore);
  expect(task).toEqual(taskBefore);
  expect(gap).toMatchObject({ kind: 'gap', reason: 'moved_house', count: null });
  expect(event).toEqual({ ...eventBefore, type: 'repainted' });
  const known = reportRecordSchema.parse(minerBefore);
  if (known.kind !== 'miner' || miner?.kind !== 'miner') throw new Error('the second record is the miner');
  expect(miner.document).toEqual({ ...known.document, anomaly_flags: known.document.anomaly_flags | (1 << 12) });
  expect(miner.extras).toEqual({ ...known.extras, cooling: null });
  expect(miner.abilities).toEqual([...known.abilities, 'miner.dance.begin']);
  expect(others.map((record) => record?.kind)).toEqual(['task', 'event', undefined, 'scan']);
});

test('what is left of it fits what is served', () => {
  const miner = understood(golden('newer').records[1]);
  const host = understood(golden('newer').records[0]);
  if (miner?.kind !== 'miner' || host?.kind !== 'host') throw new Error('they are read above');
  expect(minerDocumentSchema.safeParse(miner.document).error).toBeUndefined();
  expect(minerExtrasSchema.safeParse(miner.extras).error).toBeUndefined();
  expect(hostSchema.safeParse(host.host).error).toBeUndefined();
});

test.each([
  ['frames of agents', agentFrameSchema],
  ['frames of services', serviceFrameSchema],
  ['tasks', signedTaskSchema],
  ['notices', signedNoticeSchema],
  ['records', reportRecordSchema],
])('no schema of received %s is closed at any depth', (_what, schema) => {
  const described = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  expect(described).toContain('"properties"');
  expect(described).not.toContain('"additionalProperties":false');
});

test('the messages of this version hold every kind and every field that there is', () => {
  const { agent, records, service } = golden('present');
  const typesOf = (list: readonly Record<string, unknown>[], name: string) => new Set(list.map((item) => item[name]));
  expect(typesOf(agent, 'type')).toEqual(new Set(agentFrameSchema.options.map(({ shape }) => shape.type.value)));
  expect(typesOf(service, 'type')).toEqual(new Set(serviceFrameSchema.options.map(({ shape }) => shape.type.value)));
  expect(typesOf(records, 'kind')).toEqual(new Set(reportRecordSchema.options.map(({ shape }) => shape.kind.value)));
  const keys = (value: unknown) => Object.keys(z.record(z.string(), z.unknown()).parse(value)).toSorted();
  for (const { shape } of agentFrameSchema.options)
    expect(keys(agent.find(({ type }) => type === shape.type.value))).toEqual(Object.keys(shape).toSorted());
  for (const { shape } of serviceFrameSchema.options)
    expect(keys(service.find(({ type }) => type === shape.type.value))).toEqual(Object.keys(shape).toSorted());
  expect(keys(tasksIn(service)[0]?.task)).toEqual(Object.keys(taskFrameSchema.shape).toSorted());
  expect(noticesIn(service).map(({ notice }) => notice.type)).toEqual(['cancel', 'ops-status', 'outlook']);
  for (const { shape } of reportRecordSchema.options)
    expect(keys(records.find(({ kind }) => kind === shape.kind.value))).toEqual(Object.keys(shape).toSorted());
  const miner = records.find(({ kind }) => kind === 'miner');
  expect(keys(miner?.document)).toEqual(Object.keys(minerDocumentSchema.shape).toSorted());
  expect(keys(miner?.extras)).toEqual(Object.keys(minerExtrasSchema.shape).toSorted());
});

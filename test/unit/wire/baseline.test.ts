// The words and the signed form of the early builds of 0.2.0: understood, answered in kind, and worth no more than
// those of today.
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { verifyTask } from '../../../src/agent/uplink/signatures/verify.ts';
import { helloForBaseline, inBaselineWords } from '../../../src/wire/baseline.ts';
import { baselineTaskBytes, baselineTaskText } from '../../../src/wire/baseline-signatures.ts';
import { readAgentFrame, readServiceFrame, taskFrameSchema } from '../../../src/wire/frames.ts';
import { noticeBytes, taskBytes } from '../../../src/wire/signed-messages.ts';

const messages = z.array(z.record(z.string(), z.unknown()));
const golden = (name: string) =>
  z
    .object({ agent: messages, service: messages })
    .parse(JSON.parse(readFileSync(new URL(`../../../fixtures/wire/${name}.json`, import.meta.url), 'utf8')));
const helloOf = (name: string) => golden(name).agent.find(({ type }) => type === 'hello') ?? {};

test('its hello is known by its word for the registry of miners', () => {
  const { home, ...hello } = helloOf('baseline');
  const read = readAgentFrame(JSON.stringify({ home, ...hello }));
  expect(read).toEqual({ kind: 'frame', frame: { ...hello, instance_id: home }, isBaseline: true });
});

test("today's hello has its word too, and is today's", () => {
  const hello = helloOf('present');
  const both = { ...hello, ...helloForBaseline(String(hello.instance_id)) };
  expect(readAgentFrame(JSON.stringify(both))).toEqual({ kind: 'frame', frame: hello });
});

test('a lane is an epoch, both ways', () => {
  const epoch = '0198c0de-0000-4000-8000-0000000000e1';
  const asking = { type: 'epoch', epoch, next_seq: 1 } as const;
  expect(inBaselineWords(asking)).toEqual({ ...asking, type: 'lane' });
  expect(readAgentFrame(JSON.stringify(inBaselineWords(asking)))).toEqual({ kind: 'frame', frame: asking });
  const answer = { type: 'epoch', epoch, acked_seq: 4 } as const;
  expect(readServiceFrame(JSON.stringify(inBaselineWords(answer)))).toEqual({ kind: 'frame', frame: answer });
});

test('a task in its form is believed where it was signed for that form, for this connection, and is new', () => {
  const { publicKey: key, privateKey } = generateKeyPairSync('ed25519');
  const task = taskFrameSchema.parse({
    ...{ type: 'task', task_id: '0198c0de-0000-7000-8000-0000000000f1', name: 'miner.system.reboot', params: {} },
    ...{ miner_key: '0198c0de-0000-4000-8000-000000000001', batch_id: '0198c0de-0000-7000-8000-0000000000f2' },
    ...{ created_at: '2026-01-01T00:00:00.000Z', expires_at: '2030-01-01T00:00:00.000Z' },
  });
  const agentId = '0198c0de-0000-7000-8000-0000000000a1';
  const [nonce, welcomedAt] = ['AAAAAAAAAAAAAAAAAAAAAA', '2026-01-02T03:04:05.000Z'];
  const text = baselineTaskText({ agent_id: agentId, nonce, welcomed_at: welcomedAt, seq: 7 }, task);
  const frameOf = (bytes: Buffer, said = text) =>
    ({ type: 'signed-task', text: said, signature: sign(null, bytes, privateKey).toString('base64') }) as const;
  const expected = { key, agentId, nonce, welcomedAt, lastSeq: 6 };
  const good = frameOf(baselineTaskBytes(text));
  expect(verifyTask(good, expected).signed).toMatchObject({ seq: 7, task });
  expect(verifyTask(good, { ...expected, lastSeq: 7 }).refused).toBe('sequence');
  expect(verifyTask(good, { ...expected, nonce: 'B'.repeat(22) }).refused).toBe('another connection');
  expect(verifyTask({ ...good, text: text.replace('reboot', 'rebooT') }, expected).refused).toBe('signature');
  expect(verifyTask(frameOf(noticeBytes(text)), expected).refused).toBe('signature');
  // Signed for today's form, it has to have today's form.
  expect(verifyTask(frameOf(taskBytes(text)), expected).refused).toBe('unreadable');
});

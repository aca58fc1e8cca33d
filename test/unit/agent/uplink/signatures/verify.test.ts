// What a task must be to be believed: of the pinned key, for this agent, on this connection, newer than all before.
// Anything else is refused by name.
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Expected, leadsTo, signedAs, verifyTask } from '../../../../../src/agent/uplink/signatures/verify.ts';
import { readPublicKey } from '../../../../../src/base/secrets.ts';
import { baselineTaskBytes } from '../../../../../src/wire/baseline-signatures.ts';
import { readServiceFrame, serviceFrameSchema } from '../../../../../src/wire/frames.ts';
import type { SignedTask } from '../../../../../src/wire/signed-messages.ts';
import { keyChange, newSigner, signTask, signText, task } from './signed.ts';

const AGENT = '0198c0de-0000-7000-8000-0000000000a1';
const NONCE = 'AAAAAAAAAAAAAAAAAAAAAA';
const AT = '2026-01-02T03:04:05.000Z';
const service = newSigner();
const expected: Expected = {
  key: createPublicKey(service.key),
  agentId: AGENT,
  nonce: NONCE,
  welcomedAt: AT,
  lastSeq: 7,
};
const signed = (bytes: Buffer) => sign(null, bytes, service.key).toString('base64');
const good = (): SignedTask => ({ agent_id: AGENT, nonce: NONCE, welcomed_at: AT, seq: 8, task: task() });

test('a task of the service is read as it was given', () => {
  const fields = good();
  expect(verifyTask(signTask(fields, service), expected)).toEqual({ signed: fields });
  expect(verifyTask(signTask({ ...fields, seq: 500_000 }, service), expected)).toMatchObject({
    signed: { seq: 500_000 },
  });
});

test('what a newer service adds is covered by the signature and left out', () => {
  const { task: inner, ...outer } = good();
  const text = JSON.stringify({ ...outer, newer: 1, task: { ...inner, newer: { of: 2 } } });
  expect(verifyTask(signText(text, service), expected)).toEqual({ signed: { ...outer, task: inner } });
  expect(verifyTask({ ...signText(text, service), text: text.replace('"of":2', '"of":3') }, expected)).toEqual({
    refused: 'signature',
  });
});

test.each<[string, Partial<SignedTask>]>([
  ['another agent', { agent_id: '0198c0de-0000-7000-8000-0000000000a2' }],
  ['another connection', { nonce: 'BAAAAAAAAAAAAAAAAAAAAA' }],
  ['another connection', { welcomed_at: '2026-01-02T03:04:05.001Z' }],
  ['sequence', { seq: 7 }],
  ['sequence', { seq: 1 }],
  ['sequence', { seq: 2_000_000 }],
  ['unreadable', { seq: 0 }],
  ['unreadable', { seq: 8.5 }],
  ['unreadable', { task: task({ miner_key: '../x' }) }],
])('refused for %s: %j', (refused, fields) => {
  expect(verifyTask(signTask({ ...good(), ...fields }, service), expected)).toEqual({ refused });
});

test('another key, a signature for another purpose, no signature: refused', () => {
  const text = JSON.stringify(good());
  const forged = [
    signText(text, newSigner()),
    { ...signText(text, service), signature: sign(null, Buffer.from(text), service.key).toString('base64') },
    { ...signText(text, service), signature: Buffer.alloc(64).toString('base64') },
    { ...signText(text, service), signature: '' },
  ];
  for (const frame of forged) expect(verifyTask(frame, expected)).toEqual({ refused: 'signature' });
});

test('what is checked beside the event loop is found as it is at once, and only its signature', async () => {
  const fields = good();
  const text = JSON.stringify(fields);
  const frames = {
    current: signTask(fields, service),
    baseline: { ...signTask(fields, service), signature: signed(baselineTaskBytes(text)) },
    none: signText(text, newSigner()),
  };
  for (const [form, frame] of Object.entries(frames)) expect(await signedAs(frame, expected.key)).toBe(form);
  expect(await signedAs({ ...frames.current, signature: 'AA' }, expected.key)).toBe('none');
  expect(await signedAs(frames.current, undefined)).toBe('none');
  expect(verifyTask(frames.current, expected, await signedAs(frames.current, expected.key))).toEqual({
    signed: fields,
  });
  const old = signTask({ ...good(), seq: 7 }, service);
  expect(verifyTask(old, expected, await signedAs(old, expected.key))).toEqual({ refused: 'sequence' });
  expect(verifyTask(frames.none, expected, await signedAs(frames.none, expected.key))).toEqual({
    refused: 'signature',
  });
});

test('any bit of the frame that is flipped, anything cut off or put in: no task', () => {
  const frame = signTask({ ...good(), task: task({ params: { force: true } }) }, service);
  const whole = Buffer.from(JSON.stringify(frame));
  const believed = (text: string) => {
    const read = readServiceFrame(text);
    if (read.kind !== 'frame' || read.frame.type !== 'signed-task') return false;
    const isSame = read.frame.text === frame.text && read.frame.signature === frame.signature;
    return !isSame && verifyTask(read.frame, expected).refused === undefined;
  };
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const bytes = Buffer.from(whole);
    const at = Math.floor(bit / 8);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8));
    expect(believed(bytes.toString('utf8')), `bit ${bit}`).toBe(false);
  }
  fc.assert(
    fc.property(fc.nat(frame.text.length), fc.nat(40), fc.string(), (at, cut, put) => {
      const text = frame.text.slice(0, at) + put + frame.text.slice(at + cut);
      expect(believed(JSON.stringify({ ...frame, text }))).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test('any field that is changed after signing: no task', () => {
  const fields = good();
  const frame = signTask(fields, service);
  const change = fc.oneof(
    fc
      .constantFrom('agent_id', 'nonce', 'welcomed_at', 'seq')
      .chain((name) => fc.jsonValue().map((value) => ({ ...fields, [name]: value }))),
    fc
      .constantFrom(...Object.keys(fields.task))
      .chain((name) => fc.jsonValue().map((value) => ({ ...fields, task: { ...fields.task, [name]: value } }))),
  );
  fc.assert(
    fc.property(change, (changed) => {
      const text = JSON.stringify(changed);
      fc.pre(text !== frame.text);
      expect(verifyTask({ ...frame, text }, expected)).toEqual({ refused: 'signature' });
    }),
    { numRuns: 200 },
  );
});

test('a key that is none is not read', () => {
  const rsa = generateKeyPairSync('x25519').publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  for (const text of ['', 'x', '!', rsa, service.publicKey.slice(4)]) expect(readPublicKey(text)).toBeUndefined();
  expect(readPublicKey(service.publicKey)?.asymmetricKeyType).toBe('ed25519');
});

test('a new key is believed only through changes that the keys before it signed', () => {
  const [a, b, c, stranger] = [newSigner(), newSigner(), newSigner(), newSigner()];
  const [ab, bc] = [keyChange(a, b), keyChange(b, c)];
  expect(leadsTo(a.publicKey, c.publicKey, [ab, bc])).toBe(true);
  expect(leadsTo(b.publicKey, c.publicKey, [ab, bc])).toBe(true);
  expect(leadsTo(a.publicKey, b.publicKey, [ab, bc])).toBe(true);
  for (const changes of [
    [],
    [bc],
    [ab],
    [bc, ab],
    [ab, { ...bc, signature: keyChange(stranger, c).signature }],
    [{ ...ab, to: c.publicKey }],
    [ab, { ...bc, signature: ab.signature }],
    [keyChange(stranger, c)],
  ])
    expect(leadsTo(a.publicKey, c.publicKey, changes)).toBe(false);
});

test('what was signed by an earlier build of this version is still signed', () => {
  for (const name of ['present', 'newer']) {
    const file = readFileSync(new URL(`../../../../../fixtures/wire/${name}.json`, import.meta.url), 'utf8');
    const frames = JSON.parse(file).service.flatMap((frame: unknown) => serviceFrameSchema.safeParse(frame).data ?? []);
    const [welcome] = frames.filter(({ type }: { type: string }) => type === 'welcome');
    const [signed] = frames.filter(({ type }: { type: string }) => type === 'signed-task');
    const key = readPublicKey(welcome.task_key);
    if (key === undefined) throw new Error('the welcome shows a key');
    const golden = { key, agentId: AGENT, nonce: NONCE, welcomedAt: AT, lastSeq: 0 };
    expect(verifyTask(signed, golden)).toMatchObject({ signed: { seq: 1, task: { name: 'miner.system.reboot' } } });
    const [change] = welcome.task_key_changes;
    expect(leadsTo(change.from, welcome.task_key, welcome.task_key_changes)).toBe(true);
  }
});

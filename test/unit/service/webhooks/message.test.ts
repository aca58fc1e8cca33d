// Messages of webhooks: an id that a repeat has too, and signatures that a library of the convention verifies.
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type { MinerEvent } from '../../../../src/service/store/store.ts';
import { eventMessage, signedHeaders, testMessage } from '../../../../src/service/webhooks/message.ts';

const AT_MS = Date.UTC(2026, 5, 1);
const ABOUT = { webhookId: 'hook', workspaceId: 'workspace' };
const EVENT: MinerEvent = {
  ...{ farmId: 'farm', position: 7, type: 'moved', minerId: 'miner', agentId: 'agent', atMs: AT_MS },
  detail: { from: '10.0.0.1', unit: '°C' },
};
const ITEM = { id: 'farm.7', type: 'moved', miner_id: 'miner', agent_id: 'agent', at: '2026-06-01T00:00:00.000Z' };
const idOf = (event: MinerEvent, about = ABOUT) => eventMessage(about, event, ITEM).id;
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

test('an event has one id for a webhook, and any other event or webhook has another', () => {
  const id = idOf(EVENT);
  expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
  expect(idOf({ ...EVENT, detail: { ...EVENT.detail } })).toBe(id);
  const others = [
    idOf(EVENT, { ...ABOUT, webhookId: 'other' }),
    ...[{ farmId: 'x' }, { position: 8 }, { type: 'x' }, { atMs: 1 }, { minerId: null }, { agentId: null }].map((x) =>
      idOf({ ...EVENT, ...x }),
    ),
    idOf({ ...EVENT, detail: { from: '10.0.0.2' } }),
  ];
  expect(new Set([id, ...others]).size).toBe(others.length + 1);
});

test('the body has the type, the time and the event as a list of events shows it', () => {
  expect(JSON.parse(eventMessage(ABOUT, EVENT, ITEM).body)).toEqual({
    type: 'moved',
    timestamp: '2026-06-01T00:00:00.000Z',
    data: { workspace_id: 'workspace', farm_id: 'farm', ...ITEM },
  });
});

test('the largest event makes a body of less than 64 KiB', () => {
  const text = '₿'.repeat(16_384 - 10);
  const { body } = eventMessage(ABOUT, EVENT, { ...ITEM, detail: { a: text } });
  expect(Buffer.byteLength(body)).toBeLessThan(65_536);
});

test('a library of the convention verifies it, and refuses another body, another id and another secret', () => {
  const secret = newSecret();
  const message = eventMessage(ABOUT, EVENT, ITEM);
  const headers = signedHeaders(message, [secret], Date.now());
  const receiver = new Webhook(secret);
  expect(receiver.verify(message.body, headers)).toEqual(JSON.parse(message.body));
  expect(() => receiver.verify(`${message.body} `, headers)).toThrow('No matching signature');
  expect(() => receiver.verify(message.body, { ...headers, 'webhook-id': 'msg_0' })).toThrow('No matching signature');
  expect(() => new Webhook(newSecret()).verify(message.body, headers)).toThrow('No matching signature');
  expect(() => receiver.verify(message.body, signedHeaders(message, [secret], Date.now() - 600_000))).toThrow(
    'too old',
  );
});

test('while a secret is rotated a receiver with either of the two takes the message', () => {
  const secrets = [newSecret(), newSecret()];
  const message = testMessage(ABOUT, AT_MS, 'unique');
  const headers = signedHeaders(message, secrets, Date.now());
  for (const secret of secrets)
    expect(new Webhook(secret).verify(message.body, headers)).toMatchObject({ type: 'webhook.test' });
  expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
});

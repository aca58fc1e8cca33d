// The receiver of the handbook takes what the convention signs, and nothing else.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { HANDBOOK, ROOT } from '../../handbook/blocks.ts';

const page = readFileSync(join(ROOT, HANDBOOK, 'interface.md'), 'utf8');
const [, code = ''] =
  /<!-- receiver:begin -->\s+```js\n([^`]*(?:`[^`]+)*?)\n```\s+<!-- receiver:end -->/.exec(page) ?? [];

async function load(): Promise<(headers: Record<string, string>, body: string, secret: string) => boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-receiver-'));
  try {
    writeFileSync(join(folder, 'receiver.mjs'), code);
    return (await import(join(folder, 'receiver.mjs'))).isGenuine;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const body = '{"type":"moved","data":{"miner":"ü"}}';

/** Signed with the last secrets too, as while one is rotated. */
function headersOf(time: Date, ...secrets: readonly string[]): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign('msg_1', time, body));
  const seconds = String(Math.floor(time.getTime() / 1_000));
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

test('what is genuine is taken, also while a secret is rotated', async () => {
  const isGenuine = await load();
  expect(isGenuine(headersOf(new Date(), secretOf(1)), body, secretOf(1))).toBe(true);
  expect(isGenuine(headersOf(new Date(), secretOf(2), secretOf(1)), body, secretOf(1))).toBe(true);
});

test('another body, secret, id or time is refused', async () => {
  const isGenuine = await load();
  const headers = headersOf(new Date(), secretOf(1));
  expect(isGenuine(headers, `${body} `, secretOf(1))).toBe(false);
  expect(isGenuine(headers, body, secretOf(2))).toBe(false);
  expect(isGenuine({ ...headers, 'webhook-id': 'msg_2' }, body, secretOf(1))).toBe(false);
  expect(isGenuine(headersOf(new Date(Date.now() - 301_000), secretOf(1)), body, secretOf(1))).toBe(false);
  expect(isGenuine({ ...headers, 'webhook-timestamp': 'now' }, body, secretOf(1))).toBe(false);
  for (const signature of ['', 'v1,', 'ü'.repeat(23)])
    expect(isGenuine({ ...headers, 'webhook-signature': signature }, body, secretOf(1))).toBe(false);
  expect(isGenuine({}, body, secretOf(1))).toBe(false);
});

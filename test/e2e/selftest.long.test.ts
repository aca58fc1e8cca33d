// The self-test as people and packages run it: every part named, exit 0 when all work and 1 when one does not.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loopback } from '../support/loopback.ts';
import { startPithead } from './process.ts';

const reportSchema = z.strictObject({
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  binary: z.boolean(),
  checks: z.array(z.strictObject({ name: z.string(), ok: z.boolean(), detail: z.string(), elapsed_ms: z.int() })),
});

async function selftest(...args: string[]) {
  const { code, stdout, stderr } = await startPithead(['selftest', '--json', ...args]).end();
  return { code, stderr, ...reportSchema.parse(JSON.parse(stdout)) };
}

test('every part works here', async () => {
  const { code, stderr, checks } = await selftest('--network', loopback().network);
  expect(checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)).toEqual([]);
  expect(checks.map(({ name }) => name)).toEqual(['sqlite', 'tls', 'miners', 'drivers', 'host', 'pages', 'openapi']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('a part that does not work is named, and the rest is checked all the same', async () => {
  const { code, stderr, checks } = await selftest('--network', '192.0.2.0/26');
  expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['miners']);
  expect(checks.filter(({ ok }) => ok).map(({ name }) => name)).toEqual(['sqlite', 'tls']);
  expect(code).toBe(1);
  expect(stderr).toContain('broken here: miners');
});

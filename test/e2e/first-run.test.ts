// The first minute of somebody who has configured nothing: nothing is scanned, and the next step is one line to copy.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Started, startPithead } from './process.ts';

let folder: string;
let pithead: Started;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-first-'));
  pithead = startPithead(['up', '--port', '0'], { cwd: folder });
  await pithead.untilPrinted('stderr', 'so nothing is scanned');
});
afterAll(() => {
  pithead.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const PRIVATE = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/;

test('says which private networks it is in, how many addresses they have, and the line that scans them', async () => {
  const said = await pithead.untilPrinted('stderr', 'pithead.yaml');
  const mine = Object.entries(networkInterfaces()).flatMap(([name, entries]) =>
    (entries ?? [])
      .filter(({ family, internal, address }) => family === 'IPv4' && !internal && PRIVATE.test(address))
      .map(({ cidr }) => ({ name, prefix: Number(cidr?.split('/')[1]) })),
  );
  const usable = mine.filter(({ prefix }) => prefix <= 30);
  for (const { name } of usable) expect(said).toContain(name);
  if (usable.length > 0) {
    expect(said).toMatch(/\d+ addresses {4}pithead scan \d+\.\d+\.\d+\.\d+\/\d+/);
    expect(said).toMatch(/^ {2}networks: \[\d+\.\d+\.\d+\.\d+\/\d+\]$/m);
  }
  expect(said).toContain('networks:');
});

test('serves, and has scanned nothing', async () => {
  const said = pithead.stderr();
  const url = /service on (http:\/\/[\d.]+:\d+)/.exec(said)?.[1];
  expect(url).toBeDefined();
  const { statusCode, body } = await request(`${url}/openapi.json`);
  expect(statusCode).toBe(200);
  await body.dump();
  expect(pithead.stdout()).not.toContain('scan ended');
  const database = new DatabaseSync(join(folder, 'pithead-state', 'service.sqlite'), { readOnly: true });
  expect(database.prepare('SELECT count(*) AS miners FROM miners').get()).toEqual({ miners: 0 });
  database.close();
});

test('SIGTERM ends it in order within ten seconds, and its state is where it said', async () => {
  pithead.kill('SIGTERM');
  const { code, stderr } = await pithead.end(10_000);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(join(folder, 'pithead-state'));
  expect(readdirSync(folder)).toEqual(['pithead-state']);
});

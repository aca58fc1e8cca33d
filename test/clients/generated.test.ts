// The served document as integrators use it: linters have nothing against it, and the clients that are generated from
// it compile and work. Every operation is called on a real service with reported miners.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../property/world.ts';
import { FOLDER, modules, python, run } from './tools.ts';

const here = import.meta.dirname;
const ROOT = join(here, '..', '..');
const DOCUMENT = join(FOLDER, 'openapi.json');
/** Codes that enrol an agent are made on the host, and a client speaks no WebSocket: it meets the refusal. */
type Statuses = Readonly<Record<string, number>>;
const OTHER_THAN_200: Statuses = { enrolAgent: 401, streamBoardV2: 426 };

let world: World;
let text: string;
let ids: string[];
beforeAll(async () => {
  world = await startWorld();
  text = await (await fetch(`${world.rig.url}/openapi.json`)).text();
  writeFileSync(DOCUMENT, text);
  const document: { paths: Record<string, Record<string, { operationId: string }>> } = JSON.parse(text);
  ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
});
afterAll(() => world?.stop());

const environment = (webhook: number) => ({
  ...process.env,
  PITHEAD_URL: world.rig.url,
  PITHEAD_KEY: world.own.key,
  PITHEAD_WORKSPACE: world.own.workspaceId,
  PITHEAD_FARM: world.own.farmId,
  PITHEAD_MINER: world.own.minerIds[7] ?? '',
  PITHEAD_BATCH: world.own.batchIds[0] ?? '',
  PITHEAD_WEBHOOK: world.own.webhookIds[webhook] ?? '',
  PITHEAD_NOW: new Date(world.rig.clock.nowMs()).toISOString(),
  PITHEAD_DOCUMENT: DOCUMENT,
  PYTHONPATH: join(FOLDER, 'python'),
});

/** The client as a process of its own: one line of JSON per call. It removes the webhook of this number. */
async function callsOf(program: string, args: readonly string[], cwd: string, webhook: number) {
  const child = spawn(program, [...args], { cwd, env: environment(webhook), timeout: 60_000 });
  let out = '';
  let errors = '';
  child.stdout.on('data', (bytes) => (out += bytes));
  child.stderr.on('data', (bytes) => (errors += bytes));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, errors]).toEqual([0, expect.not.stringContaining('Error')]);
  return out
    .trim()
    .split('\n')
    .map((line): { call: string; status: number; isRead: boolean; note?: string } => JSON.parse(line));
}

function expectEach(calls: readonly { call: string; status: number; isRead: boolean }[], others: Statuses = {}): void {
  expect([...new Set(calls.map(({ call }) => call))].toSorted()).toEqual(ids.toSorted());
  for (const call of calls)
    expect(call).toMatchObject({ status: { ...OTHER_THAN_200, ...others }[call.call] ?? 200, isRead: true });
}

test('Redocly has nothing against the document by its recommended rules', async () => {
  const { createConfig, lintFromString } = await import(modules('@redocly/openapi-core/lib/index.js'));
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
  expect(problems.map((one: { ruleId: string; message: string }) => `${one.ruleId}: ${one.message}`)).toEqual([]);
});

test('Spectral has nothing against the document by its recommended rules', async () => {
  const load = createRequire(modules('x.cjs'));
  const { Spectral, Ruleset, Document } = load('@stoplight/spectral-core');
  const spectral = new Spectral();
  spectral.setRuleset(new Ruleset({ extends: [[load('@stoplight/spectral-rulesets').oas, 'recommended']] }));
  const problems = await spectral.run(new Document(text, load('@stoplight/spectral-parsers').Json, 'openapi.json'));
  expect(problems.map((one: { code: string; message: string }) => `${one.code}: ${one.message}`)).toEqual([]);
});

test('the TypeScript client compiles in strict mode, and every operation works', async () => {
  const folder = join(FOLDER, 'typescript');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(process.execPath, [modules('openapi-typescript/bin/cli.js'), DOCUMENT, '-o', join(folder, 'api.ts')]);
  writeFileSync(join(folder, 'calls.ts'), readFileSync(join(here, 'calls.ts.txt')));
  const flags =
    '--ignoreConfig --strict --skipLibCheck --module nodenext --target es2024 --rewriteRelativeImportExtensions';
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
  run(join(ROOT, 'node_modules', '.bin', 'tsc'), [...flags.split(' '), ...types, join(folder, 'calls.ts')]);
  expectEach(await callsOf(process.execPath, [join(folder, 'calls.js')], folder, 0));
});

test('the Python client reads what every operation answers, dates and nulls included', async () => {
  const folder = join(FOLDER, 'python');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'config.yml');
  writeFileSync(config, 'content_type_overrides:\n  text/csv: application/octet-stream\npost_hooks: []\n');
  const client = ['--output-path', join(folder, 'generated'), '--meta', 'none', '--config', config];
  const said = run(python('openapi-python-client'), ['generate', '--path', DOCUMENT, ...client]);
  expect(said).not.toMatch(/warning|will not be generated/i);
  const calls = await callsOf(python('python3'), [join(here, 'calls.py')], folder, 1);
  expectEach(calls, { streamEventsV2: 400 });
  expect(calls.flatMap(({ note }) => note ?? [])).toEqual(['dates in UTC', 'null bodies']);
});

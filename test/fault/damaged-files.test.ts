// Every file that agent and service keep, in every state that a disk, a kill or a person may leave it in: the program
// starts, or refuses within seconds with the name of the file and what to do. What it loses it says, and it stays the
// same agent wherever its identity is whole.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../packaging/binary/bundle.ts';
import { startPithead } from '../e2e/process.ts';
import { isFull } from './table.ts';

/** A refusal; far more than it takes on a slow machine, far less than a pipe is waited for. */
const LIMIT_MS = 60_000;
const LONG_AGO_S = 1_700_000_000;

const replaced = (path: string, make: () => unknown) => {
  rmSync(path, { recursive: true, force: true });
  make();
};

const DAMAGES = {
  empty: (path: string) => replaced(path, () => writeFileSync(path, '', { mode: 0o600 })),
  random: (path: string) =>
    replaced(path, () =>
      writeFileSync(
        path,
        Buffer.alloc(9_000).map((_, at) => (at * 7_919) % 251),
      ),
    ),
  cut: (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  gone: (path: string) => rmSync(path, { recursive: true, force: true }),
  'a folder': (path: string) => replaced(path, () => mkdirSync(join(path, 'x'), { recursive: true })),
  'a pipe': (path: string) => replaced(path, () => execFileSync('mkfifo', ['-m', '600', path])),
  'a device': (path: string) => replaced(path, () => symlinkSync('/dev/zero', path)),
  'a link to nothing': (path: string) => replaced(path, () => symlinkSync(`${path}.gone`, path)),
  'a link to itself': (path: string) => replaced(path, () => symlinkSync(path, path)),
  '5 GB of nothing': (path: string) =>
    replaced(path, () => {
      writeFileSync(path, '', { mode: 0o600 });
      truncateSync(path, 5 * 1024 ** 3);
    }),
} as const;
type Damage = keyof typeof DAMAGES;
const isDamage = (name: string): name is Damage => name in DAMAGES;

/** Of the agent, towards the service in its own process. */
const IDENTITY = 'agent-9289140b1ac2';
const readIdentity = (path: string) => readFileSync(path, 'utf8');

/**
 * `starts` = it goes on; `tells` = it goes on and names the file in its log; `refuses` = it ends and names the file.
 */
type Outcome = 'starts' | 'tells' | 'refuses';
const NO_FILE = {
  'a folder': 'refuses',
  'a pipe': 'refuses',
  'a device': 'refuses',
  'a link to nothing': 'refuses',
  'a link to itself': 'refuses',
} as const;
const each = (outcome: Outcome): Record<Damage, Outcome> => ({
  ...{ empty: outcome, random: outcome, cut: outcome, gone: outcome, '5 GB of nothing': outcome },
  ...{ 'a folder': outcome, 'a pipe': outcome, 'a device': outcome },
  ...{ 'a link to nothing': outcome, 'a link to itself': outcome },
});
/** Its content is lost, and that is told; where it is gone with all that lay beside it, a person has removed it. */
const DATABASE = { ...each('tells'), ...NO_FILE, gone: 'starts' } as const;
/** Nothing is in it that anybody needs. */
const LOCK = { ...each('starts'), ...NO_FILE } as const;

/** What becomes of each file that a run has left. */
const FILES: Readonly<Record<string, Record<Damage, Outcome>>> = {
  'state/agent.sqlite': DATABASE,
  'state/outbox.sqlite': DATABASE,
  'state/service.sqlite': DATABASE,
  // What people have accepted: without it no login is tried, and nothing is made up in its place.
  'state/trust.sqlite': { ...each('tells'), gone: 'starts' },
  'state/agent.lock': LOCK,
  'state/service.sqlite.lock': LOCK,
  [`state/${IDENTITY}.json`]: { ...each('refuses'), gone: 'starts' },
  [`state/${IDENTITY}.key.json`]: { ...each('refuses'), gone: 'starts' },
  // The agent works without; only commands do not reach it.
  'state/agent.sock': { ...each('tells'), cut: 'starts', gone: 'starts' },
  // Told when the next one is due.
  'state/backups': each('starts'),
  'pithead.key': each('refuses'),
  'secrets.yaml': each('refuses'),
  'pithead.yaml': each('refuses'),
};
/** The others take as long and find less; `npm run test:fault` does them all. */
const SHORT: readonly Damage[] = ['empty', 'a pipe'];

let folder: string;
let whole: string;
let program: string;

const start = (site: string) =>
  startPithead(['up', '--port', '0', '--config', join(site, 'pithead.yaml')], { program, cwd: site });

async function stop(started: ReturnType<typeof start>) {
  started.kill('SIGTERM');
  expect((await started.end(LIMIT_MS)).code).toBe(0);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-damaged-'));
  program = await bundle(join(import.meta.dirname, '..', '..'), folder);
  whole = join(folder, 'whole');
  mkdirSync(whole);
  writeFileSync(join(whole, 'pithead.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
  writeFileSync(join(whole, 'secrets.yaml'), 'name: value\n', { mode: 0o600 });
  const config = { stateDir: 'state', networks: [], credentials: { secretsFile: 'secrets.yaml' } };
  writeFileSync(join(whole, 'pithead.yaml'), JSON.stringify(config));
  const up = start(whole);
  await up.untilPrinted('stderr', 'service on');
  await stop(up);
  // What is damaged is no file of this moment.
  for (const name of readdirSync(join(whole, 'state'))) utimesSync(join(whole, 'state', name), LONG_AGO_S, LONG_AGO_S);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cases = Object.entries(FILES).flatMap(([file, outcomes]) =>
  Object.entries(outcomes).flatMap(([damage, outcome]) =>
    isDamage(damage) && (isFull || SHORT.includes(damage)) ? [{ file, damage, outcome }] : [],
  ),
);

test.each(cases)('$file is $damage: it $outcome', async ({ file, damage, outcome }) => {
  const site = mkdtempSync(join(folder, 'site-'));
  cpSync(whole, site, { recursive: true, preserveTimestamps: true });
  const path = join(site, file);
  if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 });
  DAMAGES[damage](path);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) utimesSync(path, LONG_AGO_S, LONG_AGO_S);
  const identity = join(site, 'state', `${IDENTITY}.json`);
  const before = file.includes(IDENTITY) ? undefined : readIdentity(identity);

  const up = start(site);
  if (outcome === 'refuses') {
    const { code, stdout, stderr } = await up.end(LIMIT_MS);
    expect([code, `${stdout}${stderr}`]).toEqual([expect.toBeOneOf([1, 78]), expect.stringContaining(basename(path))]);
    return;
  }
  await up.untilPrinted('stderr', 'service on', LIMIT_MS);
  if (outcome === 'tells') await up.untilPrinted('stdout', path, LIMIT_MS);
  await stop(up);
  if (before !== undefined) expect(readIdentity(identity)).toBe(before);
});

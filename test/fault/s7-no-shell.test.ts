// No shell, no eval: nothing that the program is made of can start a program or run a text as code, but for what is
// named here; and a whole run of it starts nothing but the service manager's own notifier.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { bundle } from '../../packaging/binary/bundle.ts';
import { programSources, ROOT, sources } from '../arch/sources.ts';
import { ENVIRONMENT_OF_TESTS, runPithead } from '../e2e/process.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { canTrace } from './strace.ts';
import { isFull, report } from './table.ts';

/** Modules that start programs, or run code in another place. */
const STARTERS = /^(node:)?(child_process|cluster|vm|worker_threads|inspector|repl|wasi)(\/|$)/;
const OPENS_MODULES = /\bcreateRequire\b/;
/** Text that becomes code, and doors to modules that are not named where one can see it. */
const CODE = [
  /\bnew Function\b/,
  /=\s*Function\b(?!\.)/,
  /(?<![.\w'"`-])eval\(/,
  /\bprocess\.(binding|dlopen)\b/,
  /\bgetBuiltinModule\b/,
  OPENS_MODULES,
  /\bset(Timeout|Interval)\(\s*['"`]/,
];

/** The files of ours that do, and what they start. */
const OURS: Readonly<Record<string, string>> = {
  'src/base/platform/service-manager.ts': 'programs of the service manager, and the new version of an update',
  'src/service/http/pages/page-thread.ts': 'the thread that makes large pages: a file of the program',
  'src/service/http/pages/worker.ts': 'that thread: takes its orders from there',
  'packaging/binary/parts.ts': 'parts of the program, which lie in the executable',
  'src/driver/load/process/driver-process.ts':
    'the process of the folder drivers: this program, which may read their folder there and no more',
  'src/cli/driver/own-process.ts': 'a check of a driver that is being written: this program, which may read its folder',
  'src/driver/load/place.ts':
    'compiles the text of a driver that Node refused, to find the line, and runs nothing of it',
};

/** The files of ours that open a file which is not part of the program, and which. */
const LOADERS: Readonly<Record<string, string>> = {
  'src/driver/load/child/child.ts': 'driver files that passed the checks of owner and mode, in the process above',
  'src/cli/driver/load-here.ts': 'the driver that its author names on the command line',
  'src/service/http/page/assets.ts': 'what builds the page, of the project itself, where it runs from its sources',
};

/** What else of the bundle could, and why no word from outside gets there. */
const LIBRARIES: Readonly<Record<string, string>> = {
  systeminformation:
    'runs programs of the system with fixed words; of it only mem() is called, which starts none on Linux',
  commander: 'starts a command that is a program of its own: none of ours is',
  'thread-stream': 'writes a log from another thread: logs are written in this one',
  pino: 'the same, and names where to find it',
  'pino-abstract-transport': 'the same',
  'pino-pretty': 'asks whether it is in another thread',
  undici: 'takes a type from there, to tell it apart',
  fflate: 'would compress in a thread of its own: it is only asked to do it at once',
  'prom-client': 'gathers figures of several processes: there is one',
  zod: 'makes code from our own schemas',
  ajv: 'makes code from our own schemas',
  'fast-json-stringify': 'makes code from our own schemas',
  '@fastify/fast-json-stringify-compiler': 'makes code from our own schemas',
  'find-my-way': 'makes code from our own routes',
};

const metaSchema = z.object({
  inputs: z.record(z.string(), z.object({ imports: z.array(z.object({ path: z.string() })) })),
  outputs: z.record(z.string(), z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) })),
});

const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|[^:'"`\\])\/\/[^\n]*/g, '$1');

const codeIn = (text: string, path = '') =>
  CODE.filter((pattern) => pattern.test(withoutComments(text)))
    .filter((pattern) => !(pattern === OPENS_MODULES && path in LOADERS))
    .map(String);

const libraryOf = (path: string) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-s7-'));
  program = await bundle(ROOT, folder);
  return () => rmSync(folder, { recursive: true, force: true });
});

test('nothing that the program is made of starts a program or runs a text, but what is named', () => {
  const meta = metaSchema.parse(JSON.parse(readFileSync(join(folder, 'pithead.meta.json'), 'utf8')));
  const bundled = Object.values(meta.outputs)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .filter(isSource);
  const used = new Set<string>();
  const findings: string[] = [];
  for (const path of bundled) {
    const starters = (meta.inputs[path]?.imports ?? []).filter((entry) => STARTERS.test(entry.path));
    const what = [...starters.map((entry) => entry.path), ...codeIn(readFileSync(join(ROOT, path), 'utf8'), path)];
    if (what.length === 0) continue;
    const name = libraryOf(path) ?? path;
    if (name in LIBRARIES || name in OURS) used.add(name);
    else findings.push(`${path}: ${what.join(', ')}`);
  }
  // The sources that are not in it too, and ways around an import statement.
  for (const { path, text } of [...programSources('src', 'drivers', 'fixtures'), ...loader()]) {
    const bare = withoutComments(text);
    const odd = /(?<![\w.])(require|import)\s*\(\s*(?!['"]\.)/.test(bare.replaceAll(/\bimport\(order/g, ''));
    const starts = [...bare.matchAll(/['"]((?:node:)?\w+)['"]/g)].some(([, name = '']) => STARTERS.test(name));
    if (starts && path in OURS) used.add(path);
    const opens = path in LOADERS && (OPENS_MODULES.test(bare) || odd);
    if (opens) used.add(path);
    if (codeIn(text, path).length > 0 || (odd && !opens) || (starts && !(path in OURS))) findings.push(path);
  }
  expect(findings).toEqual([]);
  // What is named and no longer there is taken off the list.
  expect([...used].toSorted()).toEqual([LIBRARIES, OURS, LOADERS].flatMap(Object.keys).toSorted());
  // The log goes through no thread, and no command is a program of its own.
  const ours = sources('src').map(({ text }) => withoutComments(text));
  expect(
    ours.filter((text) => /\btransport\s*:\s*\{|pino\.transport|\.executableDir\(|executableFile/.test(text)),
  ).toEqual([]);
  expect(ours.filter((text) => /\.command\(\s*'[^']*'\s*,\s*['"`]/.test(text))).toEqual([]);
  report({
    id: 'S7',
    value: `${bundled.length} sources in the bundle: ${findings.length} findings, ${Object.keys({ ...OURS, ...LOADERS }).length} files and ${Object.keys(LIBRARIES).length} libraries named`,
    bar: '0 findings',
    isMet: findings.length === 0,
  });
});

test('the rules find what they look for', () => {
  const bad = [
    'new Function("x")',
    'const F = Function; F("x")()',
    'return eval(text)',
    "setTimeout('alert(1)', 1)",
    "process.binding('spawn_sync')",
    "process.getBuiltinModule('child_process')",
  ];
  expect(bad.filter((text) => codeIn(text).length === 0)).toEqual([]);
  expect(codeIn('// eval(x)\nlet x = Function.prototype; retrieval(x)')).toEqual([]);
  expect(['node:child_process', 'vm', 'worker_threads'].filter((name) => !STARTERS.test(name))).toEqual([]);
});

/** What the bundler writes in the place of what is left out is none. */
const isSource = (path: string) => !path.startsWith('unused:');

/** What of packaging/ is in the program. */
const loader = () => sources('packaging/binary').filter(({ path }) => path.endsWith('/parts.ts'));

/** Every attempt to start a program, with its words. */
const startsIn = (log: string) =>
  log.split('\n').flatMap((line) => /^\s*(\d+)\s+execve(?:at)?\((.*)/.exec(line)?.slice(1, 3).join(' ') ?? []);

test.runIf(isFull && canTrace)(
  'a whole run, with an order, starts nothing but the notifier of the service manager',
  async () => {
    const MINERS = 30;
    const portMap = await suitablePortMap();
    const { network } = loopback(26);
    const farm = await startFarm({ network, miners: MINERS, mix: 'all', seed: 7, portMap });
    onTestFinished(() => farm.stop());
    // One that says yes to everything, and no shell.
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync('/bin/true', join(bin, 'systemd-notify'));
    const stateDir = join(folder, 'state');
    mkdirSync(stateDir, { mode: 0o700 });
    const config = join(folder, 'pithead.yaml');
    const poll = { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' };
    const settings = { stateDir, networks: [network], portMap, poll, log: { level: 'debug' } };
    writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
    const log = join(folder, 'execs');
    const traced = ['-f', '--seccomp-bpf', '-s', '200', '-e', 'trace=execve,execveat', '-o', log];
    const child = spawn('strace', [...traced, process.execPath, program, 'up', '--config', config, '--port', '0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: folder,
        ...ENVIRONMENT_OF_TESTS,
        NOTIFY_SOCKET: join(folder, 'none'),
        WATCHDOG_USEC: '3000000',
      },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const where = /service on (http:\/\/[\d.]+:\d+)/;
    await until(
      () => where.test(said),
      (isUp) => isUp,
      60_000,
    );
    const url = where.exec(said)?.[1] ?? '';
    const count = (sql: string) => {
      const database = new DatabaseSync(join(stateDir, 'service.sqlite'), { readOnly: true, timeout: 5_000 });
      const row = database.prepare(sql).get();
      database.close();
      return row ?? {};
    };
    await until(
      () => Number(count('SELECT count(*) AS n FROM miners').n),
      (n) => n >= MINERS - 2,
      60_000,
    );
    // And an order, all the way to a device.
    const made = await runPithead(['key', 'create', '--name', 'x', '--role', 'admin', '--config', config, '--json']);
    expect(made.code, made.stderr).toBe(0);
    const { key } = z.object({ key: z.string() }).parse(JSON.parse(made.stdout));
    const { farm_id, workspace_id, id } = count(
      'SELECT m.id, m.farm_id, f.workspace_id FROM miners m JOIN farms f ON f.id = m.farm_id LIMIT 1',
    );
    const { statusCode, body } = await request(`${url}/private-api/v1/${workspace_id}/farms/${farm_id}/tasks/batches`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ task_name: 'miner.system.reboot', miner_ids: [id], params: {} }),
    });
    expect(statusCode, await body.text()).toBe(200);
    await until(
      () => farm.devices.some(({ reboots }) => reboots > 0),
      (isDone) => isDone,
      60_000,
    );
    const [first] = startsIn(readFileSync(log, 'utf8'));
    process.kill(Number(first?.split(' ')[0]), 'SIGTERM');
    await once(child, 'exit');
    expect(child.exitCode, said).toBe(0);

    const starts = startsIn(readFileSync(log, 'utf8')).slice(1);
    const notices = starts.filter((line) => line.includes(`"${join(bin, 'systemd-notify')}"`));
    const others = starts.filter((line) => !notices.includes(line));
    expect(notices.length).toBeGreaterThan(3);
    report({
      id: 'S7',
      value: `scan, polls, reports and a reboot of ${MINERS} miners, agent and service as they are shipped: ${notices.length} starts of the notifier, ${others.length} others ${others.slice(0, 3).join('; ')}`,
      bar: '0 but the notify helper and the metrics calls',
      isMet: others.length === 0,
    });
  },
);

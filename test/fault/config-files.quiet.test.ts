// Configuration files that are wrong: the program says everything that is, with exit code 78, and a running agent keeps
// the last good one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../packaging/binary/bundle.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { driverIds } from '../../src/agent/standalone/folder-drivers.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { seeded } from '../../src/driver/check/answers/mutate.ts';
import { runPithead, startPithead } from '../e2e/process.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { isFull, isWithin, report } from './table.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-config-'));
  writeFileSync(join(folder, 'open.yaml'), 'a: b\n', { mode: 0o644 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One file per rule, with the fields that must be named. */
const WRONG: readonly (readonly [text: string, ...fields: string[]])[] = [
  ['networks: [10.0.0.0/99]', 'networks[0]'],
  ['networks: [010.0.0.1, 10.0.0.0/8]', 'networks[0]', 'networks'],
  ['networks: [{ name: a, range: 10.0.0.300 }]', 'networks[0].range'],
  ['networks: 10.0.0.0/24', 'networks'],
  ['exclude: [nowhere]', 'exclude[0]'],
  ['networks: [224.0.0.1, 0.0.0.1, host.example]', 'networks[0]', 'networks[1]', 'networks[2]'],
  ['poll: { interval: 500ms }', 'poll.interval'],
  ['poll: { interval: soon, deadline: 1h, maxInFlight: 0 }', 'poll.interval', 'poll.deadline', 'poll.maxInFlight'],
  ['scan: { every: 1s }', 'scan.every'],
  ['scan: { maxPerSecond: -1, maxInFlight: 1.5 }', 'scan.maxPerSecond', 'scan.maxInFlight'],
  ['portMap: { http: 80 }', 'portMap.http'],
  ['portMap: { "80": 70000 }', 'portMap.80'],
  ['credentials: { logins: [{ user: root, password: plain }] }', 'credentials.logins[0].password'],
  [
    'credentials: { logins: [{ family: antminer, range: 10.0.0.1, user: x, password: "env:PASSWORD" }] }',
    'credentials.logins[0].family',
  ],
  ['credentials: { logins: [{ user: root, password: "env:PASSWORD" }] }', 'credentials.logins[0]'],
  ['credentials: { trust: everybody }', 'credentials.trust'],
  [
    'credentials: { logins: [{ range: 10.0.0.1, user: root, password: "env:NOT_SET_ANYWHERE" }] }',
    'credentials.logins[0].password',
  ],
  ['credentials: { secretsFile: gone.yaml }', 'credentials.secretsFile'],
  ['credentials: { secretsFile: open.yaml }', 'credentials.secretsFile'],
  ['service: { url: not-a-url }', 'service.url'],
  ['listen: { port: 0 }', 'listen.port'],
  ['listen: { publicUrl: "ftp://x" }', 'listen.publicUrl'],
  ['listen: { trustProxy: [everybody] }', 'listen.trustProxy[0]'],
  ['log: { level: loud }', 'log.level'],
  ['tasks: { reboot: { concurrency: 0 } }', 'tasks.reboot.concurrency'],
  ['tasks: { powerGate: { windowS: 0 } }', 'tasks.powerGate.windowS'],
  ['tasks: { pools: { concurrency: "0 %" } }', 'tasks.pools.concurrency'],
  ['firmware: { allowedHosts: ["http://x/y"] }', 'firmware.allowedHosts[0]'],
  ['name: ""\nstateDir: ""', 'name', 'stateDir'],
  ['nonsense: 1\nalso: 2', 'nonsense', 'also'],
  ['networks: [\n', 'line'],
  ['a: 1\na: 2', 'line'],
  ['- 1', '(top level)'],
];

const GOOD = `networks:
  - name: container 1
    range: 10.31.0.0/22
  - 10.32.0.1-50
exclude: [10.31.0.1]
portMap: { "80": 8080 }
poll: { interval: 60s, slowEvery: 5, staticEvery: 10m, deadline: 10s, maxInFlight: 256 }
scan: { every: 30m, timeout: 1200ms }
credentials:
  factoryDefaults: true
  logins:
    - { family: antminer-stock, user: root, password: "env:PASSWORD", range: 10.31.0.0/24 }
tasks: { reboot: { concurrency: 5, hashS: 1200 }, powerGate: { kw: 66, windowS: 30 } }
listen: { host: 127.0.0.1, port: 8420, trustProxy: [10.0.0.0/8] }
log: { level: info }
`;

const parse = (text: string) =>
  parseConfig(text, { baseDir: folder, environment: { PASSWORD: 'x' }, name: 'pithead.yaml', driverIds });

test('one wrong file per rule: every problem is named and the program ends with 78', async () => {
  const unnamed = WRONG.flatMap(([text, ...fields]) => {
    try {
      parse(text);
      return [`${text}: accepted`];
    } catch (error) {
      if (!(error instanceof ConfigError)) return [`${text}: ${error}`];
      return fields
        .filter((field) => !error.problems.some(({ path }) => path.startsWith(field)))
        .map((field) => `${text}: ${field} is not in ${JSON.stringify(error.problems)}`);
    }
  });
  expect(unnamed).toEqual([]);
  const asProcesses = isFull ? WRONG : WRONG.slice(0, 2);
  // As it is shipped: half of the time of its sources is to read them.
  const program = await bundle(join(import.meta.dirname, '..', '..'), join(folder, 'program'));
  let otherEnds = 0;
  const tookMs: number[] = [];
  for (const [text, ...fields] of asProcesses) {
    const path = join(folder, 'wrong.yaml');
    writeFileSync(path, text);
    const startMs = performance.now();
    const { code, stderr } = await runPithead(['run', '-c', path], { cwd: folder, program });
    tookMs.push(performance.now() - startMs);
    if (code !== 78 || !fields.every((field) => stderr.includes(field))) otherEnds++;
  }
  tookMs.sort((a, b) => a - b);
  const medianMs = tookMs[Math.floor(tookMs.length / 2)] ?? 0;
  report({
    id: 'R21',
    value: `${WRONG.length} wrong files, ${unnamed.length} problems unnamed; ${asProcesses.length} as processes: ${otherEnds} without exit 78, median ${Math.round(medianMs)} ms, slowest ${Math.round(tookMs.at(-1) ?? 0)} ms`,
    bar: 'exit 78 with all problems, median <= 1 s',
    isMet: otherEnds === 0 && isWithin(medianMs, 1_000),
  });
});

test('a good file with damage in it is read or refused with its problems, nothing else', () => {
  const random = seeded(21);
  const pieces = [
    '# ',
    '1',
    '2',
    '',
    ' ',
    ':',
    '-',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    '&a',
    '*a',
    '!!js/function',
    '\t',
    '\n',
    '\0',
    '9',
    '/',
    '|',
    '%',
    '1e999',
    '~',
    '<<: *a',
    '__proto__: {}',
  ];
  const tally = { read: 0, refused: 0, other: 0 };
  for (let round = 0; round < 1_000; round++) {
    let text = GOOD;
    for (let times = random() < 0.6 ? 1 : 4; times > 0; times--) {
      const at = Math.floor(random() * text.length);
      const piece = pieces[Math.floor(random() * pieces.length)] ?? '';
      text = text.slice(0, at) + piece + text.slice(at + Math.floor(random() * 6));
    }
    try {
      parse(text);
      tally.read++;
    } catch (error) {
      if (error instanceof ConfigError && error.problems.length > 0) tally.refused++;
      else tally.other++;
    }
  }
  expect(tally.read).toBeGreaterThan(10);
  expect(tally.refused).toBeGreaterThan(20);
  report({
    id: 'R21',
    value: `1,000 damaged files: ${tally.read} read, ${tally.refused} refused, ${tally.other} other ends`,
    bar: 'read or 78, nothing else',
    isMet: tally.other === 0,
  });
});

test('aliases that multiply are refused before they grow', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => {
    const [before, name] = [String.fromCharCode(97 + i), String.fromCharCode(98 + i)];
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join()}]`;
  }).join('\n')}`;
  expect(() => parse(bomb)).toThrow(ConfigError);
});

test.runIf(isFull)(
  'a running agent takes a good file at SIGHUP and keeps the last good one at a bad file',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'pithead-reload-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, 'state'));
    const path = join(home, 'pithead.yaml');
    const { network, ip } = loopback(30);
    const write = (text: string) => writeFileSync(path, `stateDir: state\nlisten: { port: 18471 }\n${text}`);
    write(`networks: [${ip(1)}]\n`);
    const agent = startPithead(['run', '-c', path], { cwd: home });
    await agent.untilPrinted('stderr', 'service on');
    const reloaded = async (text: string, expected: RegExp) => {
      write(text);
      agent.kill('SIGHUP');
      await agent.untilPrinted('stdout', expected);
    };
    await reloaded(`networks: [${network}]\npoll: { interval: 5s }\n`, /"changed":\["networks","poll"\]/);
    await reloaded('networks: [nowhere]\n', /the last good one stays in use/);
    await reloaded(
      `networks: [${network}]\npoll: { interval: 5s }\nportMap: { "80": 8080 }\nlog: { level: debug }\n`,
      /"needsRestart":\["portMap"\]/,
    );
    // The good one was still there to be compared with.
    expect(agent.stdout()).toContain('"changed":["log"]');
    // A scan of what was named anew: four addresses, not one.
    await until(
      async () => agent.stdout(),
      (text) => /"addresses":4\b/.test(text),
      30_000,
    );
    expect(agent.hasEnded).toBe(false);
    agent.kill('SIGTERM');
    const { code } = await agent.end();
    report({
      id: 'R21',
      value: `SIGHUP: good file taken, bad file left the last good one, exit ${code}`,
      bar: 'reload keeps last good',
      isMet: code === 0,
    });
  },
);

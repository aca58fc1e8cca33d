// From a device that no driver knows to a driver that reads it, by the commands alone: capture, driver new, driver
// check, driver replay. The device is on real sockets, the program is a process.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loopback } from '../support/loopback.ts';
import { LOGIN, PRIVATE, startUnknownDevice, type UnknownDevice, type WebLogin } from '../support/unknown-device.ts';
import { runPithead, startPithead } from './process.ts';
import { runOnTerminal } from './terminal.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
let device: UnknownDevice | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-author-'));
});
afterEach(async () => {
  await device?.stop();
  device = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(login: WebLogin, hasTcp?: boolean): Promise<UnknownDevice> {
  device = await startUnknownDevice(loopback().ip(9), login, hasTcp);
  writeFileSync(
    join(folder, 'p.yaml'),
    JSON.stringify({
      portMap: device.portMap,
      credentials: { logins: [{ range: device.ip, user: LOGIN.user, password: 'env:PASSWORD' }] },
    }),
  );
  return device;
}

const run = (...args: string[]) =>
  runPithead(args, { cwd: folder, environment: { PASSWORD: LOGIN.password }, limitMs: 60_000 });

const capturedSchema = z.looseObject({
  folder: z.string(),
  login_wall: z.string().nullable(),
  files: z.array(z.string()),
});

async function capture(...more: string[]) {
  const { code, stdout, stderr } = await run('capture', device?.ip ?? '', '--config', 'p.yaml', '--json', ...more);
  expect(code, stderr).toBe(0);
  const captured = capturedSchema.parse(JSON.parse(stdout));
  const text = captured.files.map((name) => readFileSync(join(captured.folder, name), 'latin1')).join('\n');
  const about = readFileSync(join(captured.folder, 'case.json'), 'utf8');
  expect(PRIVATE.filter((word) => text.includes(word) || about.includes(word))).toEqual([]);
  return { ...captured, about };
}

const checkedSchema = z.looseObject({
  ok: z.boolean(),
  findings: z.array(z.looseObject({ check: z.string() })),
  cases: z.array(
    z.looseObject({
      recognised_as: z.string().nullable(),
      confidence: z.string().nullable(),
      reading: z.record(z.string(), z.unknown()),
    }),
  ),
});

async function check(path: string) {
  const { code, stdout, stderr } = await run('driver', 'check', path, '--json');
  const checked = checkedSchema.parse(JSON.parse(stdout));
  expect(code, stderr).toBe(checked.ok ? 0 : 1);
  return checked;
}

/** Writes down what a person has read on the pages of the device. */
function readByHand(driver: string, expected: object): void {
  const cases = join(folder, driver, 'cases');
  const file = join(cases, readdirSync(cases)[0] ?? '', 'case.json');
  const about: object = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...about, expect: expected }));
}

describe.each(['digest', 'basic'] as const)('a device behind HTTP %s', (kind) => {
  test('a capture says what to do; with the login it has what lies behind, and the new driver reads it', async () => {
    const { asked } = await start(kind);
    const first = await capture('--output', 'first');
    expect(first.login_wall).toBe(kind);
    // The refusal of each page is the same, and one file.
    expect(asked.length).toBeGreaterThan(10);
    expect(first.files.filter((name) => name.includes('http-80')).length).toBe(1);
    const shown = await run('capture', device?.ip ?? '', '--config', 'p.yaml', '--output', 'shown');
    expect(shown.stdout).toContain(`pithead capture ${device?.ip} --login --also`);

    const whole = await capture('--login', '--also', '/api/status', '--also', 'tcp:summary', '--output', 'whole');
    const made = await run('driver', 'new', 'my-miner', '--from', whole.folder);
    expect(made.code, made.stderr).toBe(0);
    // Nothing that the generated driver reads is a proof of itself.
    expect((await check('./my-miner')).findings).toMatchObject([{ check: 'case-values' }]);
    readByHand('my-miner', { model: 'Acme One 90T', hashrateHs: 89_500_000_500_000, uptimeS: 86_412 });
    const { ok, findings, cases } = await check('./my-miner');
    expect([ok, findings]).toEqual([true, []]);
    expect(cases).toMatchObject([
      {
        recognised_as: 'my-miner',
        confidence: 'sure',
        reading: { make: 'Acme', model: 'Acme One 90T', hashrateHs: 89_500_000_500_000, uptimeS: 86_412 },
      },
    ]);
    expect(cases[0]?.reading).toMatchObject({ firmwareVersion: '2.1.0' });
  });
});

test('what is generated passes the lint of the project', async () => {
  await start('digest');
  const { folder: from } = await capture('--login', '--also', '/api/status');
  expect((await run('driver', 'new', 'my-miner', '--from', from)).code).toBe(0);
  expect((await run('driver', 'new', 'bare')).code).toBe(0);
  // As the folder of the drivers that ship looks.
  const drivers = join(folder, 'drivers');
  mkdirSync(join(drivers, '_farm'), { recursive: true });
  writeFileSync(join(drivers, 'farm-index.ts'), '');
  const inProject = await runPithead(['driver', 'new', 'acme', '--from', from], { cwd: drivers });
  expect(inProject.code, inProject.stderr).toBe(0);
  expect(readdirSync(join(drivers, 'acme'))).toEqual(['README.md', 'acme.test.ts', 'cases', 'farm.ts', 'index.ts']);
  const biome = join(ROOT, 'node_modules', '.bin', 'biome');
  const made = ['index.ts', 'farm.ts', 'acme.test.ts'].map((name) => `drivers/acme/${name}`);
  const files = ['my-miner/index.mjs', 'bare/index.mjs', ...made];
  execFileSync(biome, ['check', '--config-path', ROOT, '--vcs-enabled=false', ...files], { cwd: folder });
});

test.each(['token', 'cookie'] as const)(
  'a device behind a page that gives a %s: asks and login first',
  async (kind) => {
    await start(kind, false);
    const first = await capture();
    expect(first.login_wall).toBe('page');
    const made = await run('driver', 'new', 'my-miner', '--from', first.folder, '--json');
    expect(JSON.parse(made.stdout)).toMatchObject({ login: 'page' });
    const index = join(folder, 'my-miner', 'index.mjs');
    if (kind === 'cookie') {
      const text = readFileSync(index, 'utf8')
        .replace('tokenSession', 'cookieSession')
        .replace(/ +token: .*\n/, '');
      writeFileSync(index, text);
    }
    const again = await capture('--driver', './my-miner', '--login', '--output', 'my-miner/cases');
    expect(again.login_wall).toBeNull();
    // What was sent to log in is there, without the login.
    expect(again.about).toContain('the-password');
    const recorded = join(folder, 'my-miner', 'cases');
    const before = readdirSync(recorded).find((name) => !again.folder.endsWith(name)) ?? '';
    rmSync(join(recorded, before), { recursive: true });
    const { cases } = await check('./my-miner');
    expect(cases).toMatchObject([{ recognised_as: 'my-miner', confidence: 'likely', reading: { uptimeS: 86_412 } }]);
  },
);

test('a login is typed without echo, and tried once where it is wrong', async () => {
  const { ip, portMap, asked } = await start('digest', false);
  const ports = Object.entries(portMap).map(([from, to]) => `${from}=${to}`);
  const args = ['capture', ip, '--login', '--also', '/api/status', '--output', folder, '--port-map', ...ports];
  const right = await runOnTerminal(args, {
    columns: 120,
    answers: [
      ['User at', `${LOGIN.user}\r`],
      ['Password', `${LOGIN.password}\r`],
    ],
  });
  expect(right.code, right.lines.join('\n')).toBe(0);
  expect(right.raw).not.toContain(LOGIN.password);
  const before = asked.length;
  const wrong = await runOnTerminal(
    ['capture', ip, '--login', '--output', join(folder, 'wrong'), '--port-map', ...ports],
    {
      columns: 120,
      answers: [
        ['User at', `${LOGIN.user}\r`],
        ['Password', 'not-this-one\r'],
      ],
    },
  );
  expect(wrong.lines.join('\n')).toContain('The device refuses this login');
  expect(asked.length).toBeGreaterThan(before);
});

test('a login without a terminal, what may change the device, and folders that are there already are refused', async () => {
  const { ip } = await start('digest');
  const refused = await runPithead(['capture', ip, '--login'], { cwd: folder });
  expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining('credentials.logins')]);
  for (const also of ['/cgi-bin/reboot.cgi', 'tcp:restart', '/set_network', 'http:80/api/system/restart']) {
    const { code, stderr } = await run('capture', ip, '--also', also);
    expect([code, stderr], also).toEqual([78, expect.stringContaining('may change the device')]);
  }
  expect((await run('capture', ip, '--also', 'status')).stderr).toContain('tcp:devs');
  expect((await run('driver', 'new', 'my-miner')).code).toBe(0);
  expect((await run('driver', 'new', 'my-miner')).code).toBe(78);
  expect((await run('driver', 'new', 'My Miner')).code).toBe(78);
  expect((await run('driver', 'new', 'other', '--from', 'nowhere')).code).toBe(78);
});

test('a replayed device is a device for every other command, until it is stopped', async () => {
  await start('digest');
  const { folder: from } = await capture('--login', '--also', '/api/status');
  expect((await run('driver', 'new', 'my-miner', '--from', from)).code).toBe(0);
  const replayed = startPithead(['driver', 'replay', './my-miner', '--json', '--ip', loopback().ip(10)], {
    cwd: folder,
  });
  const line = await replayed.untilPrinted('stdout', '\n');
  const { ip, port_map: portMap } = z
    .looseObject({ ip: z.string(), port_map: z.record(z.string(), z.number()) })
    .parse(JSON.parse(line));
  const ports = Object.entries(portMap).map(([port, to]) => `${port}=${to}`);
  const found = await run('miner', ip, '--json', '--port-map', ...ports);
  expect(JSON.parse(found.stdout)).toMatchObject({ driver: 'cgminer', reading: { uptimeS: 86_412 } });
  replayed.kill('SIGINT');
  expect((await replayed.end()).code).toBe(0);
  const gone = await run('miner', ip, '--json', '--port-map', ...ports);
  expect(JSON.parse(gone.stdout)).toMatchObject({ driver: null });
});

test('a driver that is wrong is named with what is wrong and what to do', async () => {
  await start('digest');
  const { folder: from } = await capture('--login', '--also', '/api/status');
  await run('driver', 'new', 'my-miner', '--from', from);
  const index = join(folder, 'my-miner', 'index.mjs');
  const text = readFileSync(index, 'utf8');
  const wrongs: readonly (readonly [text: string, seen: string | RegExp])[] = [
    [text.replace("['ACME']", "['OTHER']").replace(/ +(startPages|realms): .*\n/g, ''), 'recognised: '],
    [text.replace("kit.tcp('pools')", "kit.tcp('poolz')"), 'answered: '],
    [text.replace("needs: 'POOLS'", "needs: 'NOTHING'"), 'read: '],
    [text.replace("id: 'my-miner',\n    make", "id: 'another',\n    make"), 'must be called'],
    ['export const driver = 1;', 'export default (kit)'],
    ['export default (kit) => {\n  const a = ;\n};', 'cannot be loaded: index.mjs:2: '],
    [text.replace("every: 'poll'", "every: 'often'"), 'asks.summary.every: Invalid option: expected one of "poll"'],
    [text.replace('startPages', 'startPage'), 'families.0: Unrecognized key: "startPage"'],
    [text.replace("evidence: 'recording'", "evidence: 'seen'"), 'covers.0.evidence: Invalid option'],
    [text.replace('uptimeS:', 'uptime:'), '`read` gives `uptime`, which no Reading has'],
    [text.replace(".seconds('Elapsed')", ".secs('Elapsed')"), /throws at index\.mjs:\d+:\d+: .*secs/],
    [text.replace('const row =', 'for (;;) {}\n      const row ='), 'did not answer within 200 ms'],
    [`import { readFileSync } from 'node:fs';\nreadFileSync('/etc/hosts');\n${text}`, 'node:fs is not for drivers'],
  ];
  for (const [changed, seen] of wrongs) {
    expect(changed).not.toBe(text);
    writeFileSync(index, changed);
    const { code, stdout, stderr } = await run('driver', 'check', './my-miner');
    expect(code).not.toBe(0);
    expect(`${stdout}${stderr}`).toMatch(seen);
  }
});

test('the list has the drivers of the program', async () => {
  const { code, stdout } = await run('driver', 'list', '--json');
  expect(code).toBe(0);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => z.looseObject({ id: z.string(), origin: z.string() }).parse(JSON.parse(line)));
  expect(rows.find(({ id }) => id === 'iceriver')).toMatchObject({ origin: 'built in', refused: null });
});

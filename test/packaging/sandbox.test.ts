// The package on a real host: what the sandbox of its unit forbids a program that was taken over, tried from inside it
// (S20), and that the agent works there. In a container of its own; PITHEAD_REQUIRE_SANDBOX=1 makes it a mistake when
// there can be none.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { STATE_FOLDER, UNIT } from '../../src/update/linux/units.ts';
import { ROOT } from '../arch/sources.ts';
import { until } from '../e2e/until.ts';
import { report } from '../fault/table.ts';
import { loopback } from '../support/loopback.ts';
import { type BootedTree, bootTree, whyNoTree } from './booted-tree.ts';

const missing = whyNoTree();
if (missing !== undefined && process.env.PITHEAD_REQUIRE_SANDBOX === '1')
  throw new Error(`PITHEAD_REQUIRE_SANDBOX=1, but the sandbox cannot be tried here: ${missing}`);
if (missing !== undefined) process.stdout.write(`S20: not tried, ${missing}\n`);

const NETWORK = loopback().network;
const MINERS = 50;
const STOP_MS = 10_000;
/** What says no. Anything else means that it was done, or would have been. */
const REFUSALS = ['EPERM', 'EACCES', 'EROFS', 'ENOENT', 'ESRCH', 'EAFNOSUPPORT'];
/** What a container may not have, or its host not give away, whoever asks. */
const NOT_IN_CONTAINERS = [
  ...['write to /proc/sys/kernel', 'write to /sys', 'read what the kernel shows to its developers'],
  'lock more memory',
];
/** These may everybody read or write: only the sandbox stands in the way. */
const OPEN_FOLDERS = ['/etc', '/usr', '/boot', '/opt', '/srv', '/var/lib/other', '/root', '/home/somebody'];
const OPEN_FILES = ['/root/probe/for-all', '/home/somebody/for-all', '/etc/probe/for-all', '/tmp/for-all'];
const DEVICES = [
  ['/dev/mem', 'c', '1', '1'],
  ['/dev/kmsg', 'c', '1', '11'],
  ['/dev/probe-disk', 'b', '7', '0'],
] as const;
const PROBE = '/usr/local/share/probe';

let tree: BootedTree;

function build(output: string): string {
  const node = (script: string, ...args: string[]) =>
    execFileSync(process.execPath, [join(ROOT, 'packaging', ...script.split('/')), ...args], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const target = `linux-${process.arch}`;
  node('binary/build.ts', '--target', target, '--output', output);
  return node('linux/deb.ts', '--target', target, '--fast', '--output', output).trim();
}

const property = (name: string) => tree.inside('systemctl', 'show', '-P', name, UNIT).trim();

describe.skipIf(missing !== undefined)('the package on a host', () => {
  beforeAll(async () => {
    // Of its own: others build in `dist` meanwhile.
    const output = mkdtempSync(join(tmpdir(), 'pithead-package-'));
    const deb = build(output);
    tree = await bootTree();
    copyFileSync(deb, tree.path('/opt/pithead.deb'));
    rmSync(output, { recursive: true, force: true });
    tree.inside('apt-get', 'install', '-y', '-q', '/opt/pithead.deb');
  });
  afterAll(() => tree?.stop());

  test('it is installed, enabled and runs', () => {
    expect([property('ActiveState'), property('UnitFileState')]).toEqual(['active', 'enabled']);
  });

  test('what is forbidden is forbidden, and was possible without the sandbox', async () => {
    const { status: ofAgent } = resultsOf(ownStatus(property('MainPID')));
    prepareProbe();
    probeByRoot();
    const byRoot = resultsOf(readFileSync(tree.path(`${PROBE}/by-root`), 'utf8'));
    const inSandbox = resultsOf(probeInUnit());

    expect(inSandbox.status, 'the sandbox of the probe is that of the agent').toEqual(ofAgent);
    const notNeeded = [...inSandbox.needed].filter(([, outcome]) => outcome !== 'done');
    expect(notNeeded, 'what the agent lives on').toEqual([]);
    const vain = [...byRoot.forbidden].filter(([, outcome]) => REFUSALS.includes(outcome)).map(([what]) => what);
    expect(
      vain.filter((what) => !NOT_IN_CONTAINERS.includes(what)),
      'what proves nothing',
    ).toEqual([]);
    const done = [...inSandbox.forbidden].filter(([, outcome]) => !REFUSALS.includes(outcome));
    for (const [what, outcome] of inSandbox.forbidden) process.stdout.write(`S20: ${what}: ${outcome}\n`);
    for (const [what, outcome] of done) process.stdout.write(`S20: NOT DENIED: ${what}: ${outcome}\n`);
    const total = inSandbox.forbidden.size;
    report({
      id: 'S20',
      value: `${total - done.length} of ${total} attempts from inside the unit denied${done.map(([what]) => `; not: ${what}`).join('')}; without it ${total - vain.length} of them possible`,
      bar: '100 % denied',
      isMet: done.length === 0 && total >= 70,
    });
  });

  test('the agent works there', async () => {
    const took = await workAsAgent();
    report({
      id: 'S20',
      value: `${MINERS} of ${MINERS} miners found and reported, polled again, one rebooted, the same after kill -9, stopped in ${took.stopMs} ms`,
      bar: `agent fully works; stops <= ${STOP_MS / 1_000} s`,
      isMet: took.stopMs <= STOP_MS,
    });
  });

  test('a wrong configuration is refused with 78, and not tried again', () => {
    const config = tree.path('/etc/pithead/pithead.yaml');
    const good = readFileSync(config);
    writeFileSync(config, 'networks: [x');
    expect(() => tree.inside('systemctl', 'restart', UNIT)).toThrow();
    expect([property('ExecMainStatus'), property('NRestarts')]).toEqual(['78', '0']);
    writeFileSync(config, good);
    tree.inside('systemctl', 'reset-failed', UNIT);
    tree.inside('systemctl', 'start', UNIT);
  });

  test('installed again it keeps what a person wrote; purged it leaves nothing', () => {
    tree.inside('apt-get', 'install', '-y', '-q', '--reinstall', '/opt/pithead.deb');
    expect(readFileSync(tree.path('/etc/pithead/pithead.yaml'), 'utf8')).toContain(NETWORK);
    tree.inside('apt-get', 'purge', '-y', '-q', 'pithead');
    tree.inside('rm', '/opt/pithead.deb');
    const left = tree.inside('find', '/', '-xdev', '-name', '*pithead*', '-not', '-path', '/var/log/*');
    expect(left).toBe('');
  });
});

const ownStatus = (pid: string) =>
  readFileSync(tree.path(`/proc/${pid}/status`), 'utf8')
    .split('\n')
    .map((line) => /^(NoNewPrivs|Seccomp|Seccomp_filters|Cap\w+|Groups):\s*(.*)$/.exec(line))
    .flatMap((found) => (found === null ? [] : [`status\t${found[1]}\t${found[2]}`]))
    .join('\n');

/** The lines of the probe, by what they are about. */
function resultsOf(text: string) {
  const rows = text.split('\n').map((line) => line.split('\t'));
  const of = (kind: string) =>
    new Map(rows.flatMap(([its, what = '', outcome = '']) => (its === kind ? [[what, outcome.trim()] as const] : [])));
  return { forbidden: of('forbidden'), needed: of('needed'), status: of('status') };
}

function prepareProbe(): void {
  for (const folder of OPEN_FOLDERS) mkdirSync(tree.path(`${folder}/probe`), { recursive: true });
  for (const folder of [...OPEN_FOLDERS.map((name) => `${name}/probe`), '/root', '/home', '/home/somebody'])
    chmodSync(tree.path(folder), 0o777);
  mkdirSync(tree.path('/var/lib/pithead-update'), { recursive: true });
  for (const file of [...OPEN_FILES, '/usr/lib/pithead/for-all']) {
    writeFileSync(tree.path(file), 'for all\n');
    chmodSync(tree.path(file), 0o666);
  }
  for (const [path, ...numbers] of DEVICES) tree.inside('mknod', '-m', '666', path, ...numbers);
  mkdirSync(tree.path(PROBE));
  copyFileSync(join(ROOT, 'test', 'packaging', 'probe.pl'), tree.path(`${PROBE}/probe.pl`));
  tree.inside('cp', '/usr/bin/id', `${PROBE}/id-of-root`);
  tree.inside('chmod', '4755', `${PROBE}/id-of-root`);
  const asNobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
  expect(tree.inside(...asNobody, `${PROBE}/id-of-root`, '-u').trim(), 'a program that runs as root').toBe('0');
  tree.inside('sh', '-c', `${asNobody.join(' ')} sleep 600 >/dev/null 2>&1 & echo $! >${PROBE}/victim`);
}

/** A service of root's too, so that all else that holds a service here holds it. */
function probeByRoot(): void {
  const start = `ExecStart=/usr/bin/perl ${PROBE}/probe.pl ${PROBE}/by-root`;
  writeFileSync(tree.path('/etc/systemd/system/by-root.service'), `[Service]\nType=oneshot\n${start}\n`);
  tree.inside('systemctl', 'start', 'by-root');
}

/** In the unit itself: nothing of it is different but what it starts. */
function probeInUnit(): string {
  const dropIn = tree.path(`/etc/systemd/system/${UNIT}.d`);
  mkdirSync(dropIn);
  writeFileSync(join(dropIn, 'probe.conf'), `[Service]\nExecStart=\nExecStart=/usr/bin/perl ${PROBE}/probe.pl\n`);
  tree.inside('systemctl', 'daemon-reload');
  tree.inside('systemctl', 'restart', UNIT);
  const file = tree.path(`${STATE_FOLDER}/probe.txt`);
  const text = readFileSync(file, 'utf8');
  tree.inside('systemctl', 'stop', UNIT);
  rmSync(file);
  rmSync(dropIn, { recursive: true });
  tree.inside('systemctl', 'daemon-reload');
  return text;
}

const keySchema = z.object({ key: z.string(), workspace_id: z.string(), farm_id: z.string() });
const minersSchema = z.object({
  data: z.array(z.object({ id: z.string(), model: z.string().nullable(), last_updated_at: z.string() })),
});
const batchSchema = z.object({ data: z.object({ status: z.string() }) });
const ASK = `
const [url, key, body] = process.argv.slice(1);
const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) };
fetch(url, { headers, ...(body && { method: 'POST', body }) }).then((answer) => answer.text()).then(console.log);
`;

async function workAsAgent(): Promise<{ stopMs: number }> {
  const farm = ['--miners', String(MINERS), '--network', NETWORK, '--boot-seconds', '2', '--warm-up-seconds', '2'];
  tree.inNetwork(process.execPath, join(ROOT, 'fixtures', 'farm', 'main.ts'), ...farm, '--for', '5m');
  const quick = 'poll: { interval: 2s }\ntasks: { reboot: { checkEveryS: 1 } }\n';
  appendFileSync(tree.path('/etc/pithead/pithead.yaml'), quick);
  tree.inside('systemctl', 'start', UNIT);
  tree.inside('pithead', 'setup', '--yes', '--network', NETWORK, '--json');
  const key = keySchema.parse(
    JSON.parse(tree.inside('pithead', 'key', 'create', '--name', 'trial', '--role', 'admin', '--json')),
  );
  const ask = (path: string, body?: object) => {
    const args = [`http://127.0.0.1:8420/${path}`, key.key, ...(body === undefined ? [] : [JSON.stringify(body)])];
    return JSON.parse(tree.ask(ASK, ...args));
  };
  const farmPath = `${key.workspace_id}/farms/${key.farm_id}`;
  // While it starts it may answer that it is not ready.
  const miners = () =>
    (minersSchema.safeParse(ask(`private-api/v1/${farmPath}/miner/latest?pageSize=1000`)).data?.data ?? []).toSorted(
      byId,
    );

  const found = await until(miners, (seen) => seen.length === MINERS, 60_000);
  const before = new Map(found.map(({ id, last_updated_at }) => [id, last_updated_at]));
  const isNewer = ({ id, last_updated_at }: (typeof found)[number]) => last_updated_at !== before.get(id);
  await until(miners, (seen) => seen.length === MINERS && seen.every(isNewer), 60_000);

  const batches = `public-api/v2/workspaces/${farmPath}/task-batches`;
  const target = found.find(({ model }) => model === 'S21')?.id;
  const [made] = z
    .object({ data: z.array(z.object({ id: z.string() })) })
    .parse(ask(batches, { task_name: 'miner.system.reboot', miner_ids: [target] })).data;
  const batch = () => batchSchema.safeParse(ask(`${batches}/${made?.id}`)).data?.data.status;
  await until(batch, (status) => status === 'succeeded', 90_000);
  tree.inside('pithead', 'selftest', '--network', loopback().network);

  tree.inside('sh', '-c', `kill -9 ${property('MainPID')}`);
  await until(
    () => [property('ActiveState'), property('NRestarts')].join(),
    (state) => state === 'active,1',
    30_000,
  );
  const again = await until(miners, (seen) => seen.length > 0, 30_000);
  expect(again.map(({ id }) => id)).toEqual(found.map(({ id }) => id));

  const begunMs = performance.now();
  tree.inside('systemctl', 'stop', UNIT);
  const stopMs = Math.round(performance.now() - begunMs);
  expect([property('Result'), property('ExecMainStatus')]).toEqual(['success', '0']);
  return { stopMs };
}

const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id);

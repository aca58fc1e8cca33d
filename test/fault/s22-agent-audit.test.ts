// Bar S22 on the agent's side: what is ordered, decided, refused and changed on site is in the trail of the agent, also
// what people decide while it does not run; what is done to the trail is found, on site and by the service.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { checkAgentTrail } from '../../src/agent/state/audit-check.ts';
import { openVault } from '../../src/base/storage/vault.ts';
import { runPithead, startPithead } from '../e2e/process.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { temporaryFolder } from '../unit/service-http/rig.ts';
import { seeded } from './seeded.ts';
import { isFull, report } from './table.ts';
import { type EarlierHead, tamper, WAYS } from './tamper.ts';

const TRIALS = isFull ? 300 : 60;
/** Each as often as it has to be there at least. */
const DUE = {
  'agent.started': 3,
  'agent.enrolled': 1,
  'trust.accepted': 1,
  'trust.forgotten': 2,
  'trust.retried': 2,
  'control.called': 1,
  'task.accepted': 2,
  'task.begun': 2,
  'task.ended': 2,
  'task.refused': 1,
  'config.reloaded': 1,
} as const;

async function startHere() {
  const folder = temporaryFolder();
  const state = join(folder, 'state');
  const keyFile = join(folder, 'keys', 'pithead.key');
  const config = join(folder, 'pithead.yaml');
  mkdirSync(state, { mode: 0o700 });
  const { network } = loopback();
  const portMap = await suitablePortMap();
  const farm = await startFarm({ network, miners: 3, mix: 'antminer-c', seed: 3, portMap });
  onTestFinished(() => farm.stop());
  const configure = (more: object = {}) =>
    writeFileSync(
      config,
      JSON.stringify({
        ...{ stateDir: state, networks: [network], portMap, scan: { maxPerSecond: 50_000 } },
        poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
        credentials: { keyFile, logins: [{ range: network, user: 'root', password: 'env:MINER_PASSWORD' }] },
        tasks: { allow: { firmware: false } },
        ...more,
      }),
      { mode: 0o600 },
    );
  configure();
  const environment = { MINER_PASSWORD: 'a-password-of-the-site' };
  const up = async () => {
    const pithead = startPithead(['up', '--config', config, '--port', '0'], { cwd: folder, environment });
    onTestFinished(() => pithead.kill('SIGKILL'));
    const said = await pithead.untilPrinted('stderr', /service on http:\S+\d/);
    return { ...pithead, url: /service on (http:\/\/[\d.]+:\d+)/.exec(said)?.[1] ?? '' };
  };
  const beside = (...words: readonly string[]) =>
    runPithead([...words, '--config', config], { cwd: folder, environment });
  const rows = (name: 'agent' | 'service', sql: string) => {
    using db = new DatabaseSync(join(state, `${name}.sqlite`), { readOnly: true, timeout: 5_000 });
    return db.prepare(sql).all();
  };
  const actions = (name: 'agent' | 'service') =>
    rows(name, 'SELECT action FROM audit_entries ORDER BY seq').map(({ action }) => String(action));
  return { folder, state, keyFile, farm, configure, up, beside, rows, actions };
}
type Here = Awaited<ReturnType<typeof startHere>>;

const stop = async ({ kill, end }: Awaited<ReturnType<Here['up']>>) => {
  kill('SIGTERM');
  expect((await end()).code).toBe(0);
};

/** Through the interface of the service. */
async function order(url: string, key: string, name: string, params: object): Promise<void> {
  const call = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await request(url + path, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return z.looseObject({ data: z.array(z.object({ id: z.string() })) }).parse(await answer.body.json()).data;
  };
  const [workspace] = await call('GET', '/public-api/v2/workspaces');
  const farms = `/public-api/v2/workspaces/${workspace?.id}/farms`;
  const farm = `${farms}/${(await call('GET', farms))[0]?.id}`;
  const miners = await until(
    () => call('GET', `${farm}/miners`),
    (list) => list.length > 0,
    60_000,
  );
  await call('POST', `${farm}/task-batches`, { task_name: name, miner_ids: [miners[0]?.id], params });
}

/** What happens on a site, with its program running and not. */
async function live(here: Here): Promise<void> {
  const { beside, farm, actions, configure, state } = here;
  const first = await here.up();
  const [one, other] = farm.devices.map(({ ip }) => ip);
  const waits = z.object({ devices: z.array(z.object({ ip: z.string() })) });
  await until(
    async () => waits.parse(JSON.parse((await beside('trust', 'list', '--json')).stdout)).devices,
    (devices) => devices.length >= 3,
    90_000,
  );
  expect((await beside('trust', 'accept', '--all')).code).toBe(0);
  expect((await beside('trust', 'retry', one ?? '')).code).toBe(0);
  expect((await beside('trust', 'forget', other ?? '')).code).toBe(0);
  const { stdout } = await beside('key', 'create', '--name', 'x', '--role', 'admin', '--json');
  const { key } = z.object({ key: z.string() }).parse(JSON.parse(stdout));
  await beside('reboot', one ?? '', '--yes');
  await order(first.url, key, 'miner.light.update', { on: true });
  await order(first.url, key, 'miner.firmware.update', { url: 'https://files.example/a.bin', sha256: 'ab'.repeat(32) });
  configure({ poll: { interval: '2s', slowEvery: 1, staticEvery: '5s', deadline: '3s' } });
  first.kill('SIGHUP');
  const backups = () =>
    readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.backup'));
  await until(
    () => backups(),
    (files) => files.length > 0,
    60_000,
  );
  await until(
    () => actions('agent'),
    (all) =>
      (['task.ended', 'task.refused', 'config.reloaded'] as const).every(
        (name) => all.filter((action) => action === name).length >= DUE[name],
      ),
    120_000,
  );
  await stop(first);
  // Nothing runs: the next agent takes it into its trail.
  expect((await beside('trust', 'retry', one ?? '')).code).toBe(0);
  expect((await beside('trust', 'forget', one ?? '')).code).toBe(0);
  const restored = await beside('restore', join(state, backups()[0] ?? ''));
  expect(restored.code, restored.stderr).toBe(0);
  const second = await here.up();
  await until(
    () => actions('agent'),
    (all) => all.filter((name) => name === 'trust.forgotten').length >= 2,
    60_000,
  );
  await stop(second);
}

const headOf = ({ rows }: Here): EarlierHead => {
  const row = rows('agent', 'SELECT * FROM audit_head')[0] ?? {};
  const [seq, hash] = [Number(row.seq), String(row.hash)];
  return { seq, row: { seq, hash, key_id: String(row.key_id), mac: String(row.mac) } };
};

/** Of copies of the agent's database; those that the check does not find. */
function tamperCopies({ folder, state, keyFile }: Here, earlier: EarlierHead, noted: { seq: number; hash: string }) {
  const random = seeded(22);
  const vault = openVault(keyFile);
  const copy = join(folder, 'copy.sqlite');
  const missed: string[] = [];
  for (let trial = 0; trial < TRIALS; trial++) {
    const way = WAYS[trial % WAYS.length] ?? 'a field changed';
    copyFileSync(join(state, 'agent.sqlite'), copy);
    if (trial === 0) expect(checkAgentTrail(copy, vault, noted).problem).toBeUndefined();
    tamper(copy, way, random, earlier);
    if (checkAgentTrail(copy, vault, noted).problem === undefined) missed.push(way);
  }
  return missed;
}

test('what is done on site is in the trail of the agent; what is done to the trail is found', {
  timeout: 300_000,
}, async () => {
  const here = await startHere();
  const { actions, beside, up, rows, state } = here;
  await live(here);
  const earlier = headOf(here);
  const third = await up();
  // The service knows how far the trail goes, from the report of the host.
  const named = () => Number(rows('service', 'SELECT max(trail_seq) AS seq FROM agents')[0]?.seq ?? 0);
  await until(
    () => named(),
    (seq) => seq > earlier.seq,
    90_000,
  );
  await stop(third);
  const counts = Object.entries(DUE).map(([action, due]) => {
    const there = actions('agent').filter((name) => name === action).length;
    if (there < due) process.stdout.write(`S22: ${action}: ${there} of ${due}\n`);
    return Math.min(due, there);
  });
  const due = Object.values(DUE).reduce((sum, count) => sum + count, 0);
  const present = counts.reduce((sum, count) => sum + count, 0);
  const isRestoreThere = actions('service').includes('backup.restored');
  const last = headOf(here);
  const missed = tamperCopies(here, earlier, { seq: last.seq, hash: String(last.row.hash) });
  const before = await beside('audit', 'verify', '--json');

  // The whole end is cut, with the head that was signed then: nothing in the file shows it.
  tamper(join(state, 'agent.sqlite'), 'the end cut, with the head that was signed then', seeded(1), earlier);
  const cut = await beside('audit', 'verify', '--json');
  const fourth = await up();
  await until(
    () => actions('service'),
    (all) => all.includes('agent.trail_cut'),
    90_000,
  );
  await stop(fourth);
  const after = await beside('audit', 'verify', '--json');
  const isCutSeen = before.code === 0 && cut.code === 1 && after.code === 1 && /"cut_at":"2/.test(after.stdout);
  if (!isCutSeen) process.stdout.write(`S22: ${before.stdout}${cut.stdout}${after.stdout}\n`);
  const isSecretHidden = !readFileSync(join(state, 'agent.sqlite')).includes('a-password-of-the-site');
  report({
    id: 'S22',
    value: `${present} of ${due} acts of ${Object.keys(DUE).length} kinds in the trail of the agent${isRestoreThere ? ', backup.restored' : ', NO backup.restored'} in that of the service; ${TRIALS - missed.length} of ${TRIALS} tamperings of ${WAYS.length} kinds found${missed.map((way) => `; missed: ${way}`)}; an end cut with its old signature ${isCutSeen ? 'is' : 'is NOT'} found by the service`,
    bar: '100 % present, tampering found in 100 of 100',
    isMet: present === due && isRestoreThere && missed.length === 0 && isCutSeen && isSecretHidden,
  });
});

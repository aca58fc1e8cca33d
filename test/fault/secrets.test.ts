// Planted secrets: passwords of miners and pools, tokens, keys and codes are in nothing that is written, answered,
// shown or handed to another program, at the finest log level and at a crash.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { loadCredentials } from '../../src/agent/uplink/enrolment/credentials.ts';
import { runPithead, startPithead } from '../e2e/process.ts';
import { minerListSchema } from '../e2e/site.ts';
import { until } from '../e2e/until.ts';
import { vouchFor } from '../e2e/vouch.ts';
import { loopback } from '../support/loopback.ts';
import { pause } from './agent-site.ts';
import { filesBelow, sightingsOf, textOf } from './sightings.ts';
import { isFull, report } from './table.ts';

const { network: NETWORK, ip: ipOf } = loopback(26);
/** Of the address of a firmware; nothing answers there. */
const NOBODY = ipOf(63);
const MINERS = 40;
const STRANGER_EVERY = 4;
const CANARY = {
  'login that no miner has': 'canary-of-a-login-9f31',
  'login from the environment': 'canary-of-the-environment-71c2',
  'password of a pool': 'canary-of-a-pool-"44\\be',
  'password of a pool in a wrong order': 'canary-of-a-wrong-order-03aa',
  'user of a firmware address': 'canary-of-a-firmware-user-5d',
  'token of a firmware address': 'canary-of-a-firmware-token-e8',
} as const;
const POOL = { url: 'stratum+tcp://pool.example:3333', user: 'farm.1', password: CANARY['password of a pool'] };
const FIRMWARE = `https://${CANARY['user of a firmware address']}:x@${NOBODY}:9/a.bin?token=${CANARY['token of a firmware address']}`;

/** On the signal the program fails as a mistake of ours would have it fail. */
const CRASH = `data:text/javascript,${encodeURIComponent('process.on("SIGUSR2",()=>setImmediate(()=>{throw new Error("crash")}))')}`;

type Planted = Readonly<Record<string, string>>;
type Received = ReadonlyMap<string, readonly string[]>;

/**
 * Secrets that were sent to a device and are not its own. A login for the range is for those that have none of their
 * own; the pool is for all that may be changed. Strangers, whom nobody accepted, get nothing: no login in any form, and
 * the pool only where a family has no login to withhold.
 */
function strayed(
  planted: Planted,
  own: readonly { readonly ip: string; readonly password: string }[],
  strangers: ReadonlySet<string>,
  received: Received,
): string[] {
  return [...received].flatMap(([ip, texts]) => {
    const login = own.find((each) => each.ip === ip);
    const isTheirs = (name: string, secret: string) => {
      if (strangers.has(ip)) return false;
      return (
        name === 'password of a pool' ||
        (login === undefined ? name === 'login that no miner has' : secret === login.password)
      );
    };
    const foreign = Object.fromEntries(Object.entries(planted).filter(([name, secret]) => !isTheirs(name, secret)));
    const all = texts.join('\n');
    const isLogin = strangers.has(ip) && /^(authorization|cookie|token)$|get_token/im.test(all);
    return [
      ...sightingsOf(foreign, { [`what ${ip} received`]: all }),
      ...(isLogin ? [`a login in what ${ip}, a stranger, received`] : []),
    ];
  });
}

/** Addresses of pages that were asked for, with a secret in them: they end up in logs of devices. */
const inAddresses = (planted: Planted, received: Received) =>
  [...received].flatMap(([ip, texts]) => {
    const lines = texts.flatMap((text) => (/^[A-Z]+ \//.test(text) ? [text.split('\n', 1)[0] ?? ''] : []));
    return sightingsOf(planted, { [`addresses asked of ${ip}`]: lines.join('\n') });
  });

/**
 * Command lines and environments of the programs that this one has started, as long as they live. One that is about to
 * become another still has ours.
 */
function childrenOf(pid: number): string {
  const ours = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
        if (Number(parent) !== pid) return [];
        const [cmdline = '', environ = ''] = ['cmdline', 'environ'].map((file) =>
          readFileSync(`/proc/${name}/${file}`, 'utf8'),
        );
        return cmdline === ours || readFileSync(`/proc/${name}/cmdline`, 'utf8') !== cmdline ? [] : [cmdline, environ];
      } catch {
        return [];
      }
    })
    .join('\n');
}

test('the search finds a secret in every place and form that it looks at', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-sightings-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const secret = CANARY['password of a pool'];
  const database = new DatabaseSync(join(folder, 'a.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (body BLOB)');
  database.prepare('INSERT INTO a VALUES (?)').run(zstdCompressSync(Buffer.from(`xx${JSON.stringify({ secret })}`)));
  const written = {
    plain: secret,
    quoted: JSON.stringify({ secret }),
    address: encodeURIComponent(secret),
    ...Object.fromEntries(
      ['', 'a', 'ab'].map((before) => [`base64 ${before}`, Buffer.from(`${before}${secret}:x`).toString('base64')]),
    ),
    hex: Buffer.from(secret).toString('hex'),
    database: textOf(join(folder, 'a.sqlite')),
  };
  expect(sightingsOf({ secret }, written)).toHaveLength(Object.keys(written).length);
  database.close();
  expect(sightingsOf({ other: 'something else' }, written)).toEqual([]);
});

test.runIf(isFull)('no secret is seen anywhere, whatever is ordered, refused or breaks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-secrets-'));
  const received = new Map<string, string[]>();
  const onReceived = (ip: string, text: string) => {
    const texts = received.get(ip) ?? [];
    texts.push(text);
    received.set(ip, texts);
  };
  const portMap = await suitablePortMap();
  const farm = await startFarm({ network: NETWORK, miners: MINERS, mix: 'all', seed: 5, portMap, onReceived });
  onTestFinished(async () => {
    await farm.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  // These open with a password of their own, which the agent knows, so that it goes through every kind of login; some
  // are ill.
  const changed = farm.devices.filter(({ login }, i) => login !== undefined && i % 2 === 0);
  for (const device of changed) device.setFault('wrong-password', true);
  for (const [i, fault] of (['garbage', 'truncated', 'hangs'] as const).entries())
    farm.devices[i * 2 + 1]?.setFault(fault, true);
  const own = changed.flatMap(({ ip, login }) => (login === undefined ? [] : [{ ip, ...login }]));
  expect(own.length).toBeGreaterThan(8);

  const state = join(folder, 'state');
  const bin = join(folder, 'bin');
  for (const path of [state, bin]) mkdirSync(path, { mode: 0o700 });
  // A person has accepted no stranger, and all others: those without a proof by saying what they are, the rest once
  // they were found.
  const strangers = new Set(
    farm.devices
      .filter(({ login }) => login !== undefined)
      .flatMap(({ ip }, i) => (i % STRANGER_EVERY === 0 ? [ip] : [])),
  );
  const accepted = farm.devices.filter(({ ip }) => !strangers.has(ip));
  vouchFor(state, { devices: accepted });
  const secretsFile = join(folder, 'secrets.yaml');
  const secrets = {
    none: CANARY['login that no miner has'],
    ...Object.fromEntries(own.map(({ ip, password }) => [ip, password])),
  };
  writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
  const keyFile = join(folder, 'keys', 'pithead.key');
  const config = join(folder, 'pithead.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      stateDir: state,
      networks: [NETWORK],
      portMap,
      poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
      log: { level: 'debug' },
      firmware: { allowedHosts: [NOBODY] },
      credentials: {
        secretsFile,
        keyFile,
        logins: [
          ...own.map(({ ip, user }) => ({ user, password: `secret:${ip}`, range: ip })),
          { user: 'root', password: 'secret:none', range: NETWORK },
          { user: 'admin', password: 'env:MINER_PASSWORD', range: NETWORK },
        ],
      },
    }),
    { mode: 0o600 },
  );
  // What is told to the service manager, with all that its program can see.
  const notified = join(folder, 'notified');
  writeFileSync(join(bin, 'systemd-notify'), '#!/bin/sh\ncat /proc/$$/environ /proc/$$/cmdline >> "$NOTIFY_SOCKET"\n');
  chmodSync(join(bin, 'systemd-notify'), 0o755);
  const pithead = startPithead(['up', '--config', config, '--port', '0'], {
    cwd: folder,
    environment: {
      MINER_PASSWORD: CANARY['login from the environment'],
      PATH: [bin, process.env.PATH].join(delimiter),
      NOTIFY_SOCKET: notified,
      WATCHDOG_USEC: '3000000',
      NODE_OPTIONS: `--import ${CRASH}`,
    },
  });
  onTestFinished(() => pithead.kill('SIGKILL'));
  const said = await pithead.untilPrinted('stderr', /service on http:\S+\d/);
  const url = /service on (http:\/\/[\d.]+:\d+)/.exec(said)?.[1] ?? '';
  const environment = { MINER_PASSWORD: CANARY['login from the environment'] };
  const beside = (...words: readonly string[]) =>
    runPithead([...words, '--config', config], { cwd: folder, environment });
  const made = await beside('key', 'create', '--name', 'x', '--role', 'admin', '--json');
  const { key } = z.object({ key: z.string() }).parse(JSON.parse(made.stdout));
  let answers = '';
  let children = '';
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> => {
    children += childrenOf(pithead.pid);
    const headers = { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const answer = await request(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    answers += `${text}\n`;
    return text.startsWith('{') ? JSON.parse(text) : undefined;
  };
  const one = z.object({ data: z.tuple([z.object({ id: z.string() })], z.unknown()) });
  const workspace = `/public-api/v2/workspaces/${one.parse(await call('GET', '/public-api/v2/workspaces')).data[0].id}`;
  const farmId = one.parse(await call('GET', `${workspace}/farms`)).data[0].id;
  const v1 = `${workspace.replace('/public-api/v2/workspaces', '/private-api/v1')}/farms/${farmId}`;
  const batches = `${workspace}/farms/${farmId}/task-batches`;
  const waiting = z.object({ devices: z.array(z.object({ ip: z.string(), why: z.string() })) });
  const newcomers = await until(
    async () => waiting.parse(JSON.parse((await beside('trust', 'list', '--json')).stdout)).devices,
    (found) => [...strangers].every((ip) => found.some((device) => device.ip === ip)),
    90_000,
  );
  const proven = newcomers.flatMap(({ ip }) => (strangers.has(ip) ? [] : [ip]));
  if (proven.length > 0) await beside('trust', 'accept', ...proven);
  const miners = async () => minerListSchema.parse(await call('GET', `${v1}/miner/latest?pageSize=1000`)).data;
  const list = await until(
    miners,
    (all) => all.filter(({ last_check_succeed }) => last_check_succeed).length >= 30,
    90_000,
  );
  const ids = list.map(({ id }) => id);

  const isOver = z.object({ data: z.array(z.object({ status: z.string() })) });
  const carryOut = async (order: object) => {
    const created = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(await call('POST', batches, order));
    for (const { id } of created.data) {
      await call('GET', `${batches}/${id}`);
      await until(
        async () => {
          // No more often than a client may.
          await pause(500);
          return isOver.parse(await call('GET', `${batches}/${id}/tasks?page_size=100`)).data;
        },
        // Those that are ill take longest, and are not waited for.
        (tasks) => tasks.filter(({ status }) => status === 'pending' || status === 'running').length <= 2,
        150_000,
      );
    }
  };
  const image = { url: FIRMWARE, sha256: 'ab'.repeat(32) };
  await Promise.all([
    carryOut({ task_name: 'miner.pool.update', miner_ids: ids, params: { pools: [POOL] } }),
    carryOut({ task_name: 'miner.log.get', miner_ids: ids.slice(0, 20) }),
    carryOut({ task_name: 'miner.firmware.update', miner_ids: ids.slice(0, 8), params: image }),
  ]);
  await carryOut({ task_name: 'miner.pool.lock', miner_ids: ids, params: { locked: true } });
  // Orders that are refused, in ways that might be told by quoting them.
  const wrong = CANARY['password of a pool in a wrong order'];
  for (const password of [`${wrong}\n`, { is: wrong }, [wrong], `${wrong}${'x'.repeat(300)}`])
    await call('POST', batches, {
      task_name: 'miner.pool.update',
      miner_ids: ids,
      params: { pools: [{ ...POOL, password }] },
    });
  await call('POST', batches, {
    task_name: 'miner.pool.update',
    miner_ids: ids,
    params: { pools: [{ ...POOL, pass: wrong }] },
  });
  await call('POST', batches, { task_name: 'miner.pool.update', miner_ids: [wrong], params: { pools: [] } });
  for (const path of [
    `${v1}/agents`,
    `${v1}/tasks/batches`,
    `${workspace}/farms/${farmId}/miners?page_size=100`,
    batches,
    '/metrics',
    '/healthz',
  ])
    await call('GET', path);

  const shown: Record<string, string> = {};
  const some = own[0]?.ip ?? '';
  for (const words of [['status'], ['tasks'], ['doctor'], ['miner', some], ['log', some]]) {
    const { stdout, stderr } = await beside(...words);
    shown[`pithead ${words[0]}`] = stdout + stderr;
  }
  const cmdline = readFileSync(`/proc/${pithead.pid}/cmdline`, 'utf8');
  const onDisk = () =>
    Object.fromEntries(
      [...filesBelow(folder)]
        .filter((path) => ![secretsFile, keyFile].includes(path))
        .map((path) => [path.slice(folder.length + 1), textOf(path)]),
    );
  const whileItRan = onDisk();
  pithead.kill('SIGUSR2');
  const { code } = await pithead.end();
  expect(code).not.toBe(0);

  const token = loadCredentials(state, 'embedded', keyFile)?.token.reveal() ?? '';
  const planted = {
    ...CANARY,
    ...Object.fromEntries(own.map(({ ip, password }) => [`password of ${ip}`, password])),
    'API key': key,
    'secret part of the API key': key.split('_').slice(2).join('_'),
    'token of the agent': token,
    'key of the vault': readFileSync(keyFile, 'utf8').trim(),
  };
  const places: Readonly<Record<string, string>> = {
    ...whileItRan,
    ...Object.fromEntries(Object.entries(onDisk()).map(([name, text]) => [`${name} after the crash`, text])),
    ...shown,
    stdout: pithead.stdout(),
    stderr: pithead.stderr(),
    'command line': cmdline,
    'other programs': children,
    answers,
  };
  // What is looked for has been where it belongs, or nothing is proven.
  expect(pithead.stdout()).toContain('"level":20');
  expect(pithead.stderr() + pithead.stdout()).toContain('crash');
  expect(places.notified).toContain('WATCHDOG=1');
  expect(places['state/agent.sqlite']).toContain('sealed:1:');
  expect(places['state/service.sqlite']).toContain('sealed:1:');
  const withPool = farm.devices.filter((device) => device.truth().pools[0]?.url === POOL.url).length;
  expect(withPool).toBeGreaterThan(10);
  const opened = list.filter(({ ip, hashrate }) => own.some((login) => login.ip === ip) && hashrate !== null).length;
  expect(opened).toBeGreaterThan(4);

  const sightings = [
    ...sightingsOf(planted, places),
    ...strayed(planted, own, strangers, received),
    ...inAddresses(planted, received),
  ];
  expect(received.size).toBeGreaterThan(20);
  const readable = [...filesBelow(state)].filter((path) => (statSync(path).mode & 0o077) !== 0);
  process.stdout.write(sightings.map((sighting) => `  ${sighting}\n`).join(''));
  report({
    id: 'S8',
    value: `${Object.keys(planted).length} secrets in ${Object.keys(places).length} places (${pithead.stdout().length} characters of log; pools of ${withPool} miners set): ${sightings.length} sightings; ${readable.length} files that others can read`,
    bar: '0 sightings, files 0600, encrypted at rest, key apart from data',
    isMet: sightings.length + readable.length === 0,
  });
});

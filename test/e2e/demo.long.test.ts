// The demo as a script starts it: one JSON object when every miner is there, a working interface behind it, and nothing
// left at the end.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { loopback } from '../support/loopback.ts';
import { MAIN, type Started, startPithead } from './process.ts';
import { minerListSchema } from './site.ts';

const NOBODY = 65_534;
const readySchema = z.strictObject({
  url: z.url(),
  key: z.string(),
  workspace_id: z.string(),
  farm_id: z.uuid(),
  miners: z.int(),
  page: z.url(),
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-demo-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Everything temporary goes here, so that what is left can be seen. */
const temporary = (name: string) => {
  const path = mkdtempSync(join(folder, name));
  return { path, environment: { TMPDIR: path, TMP: path, TEMP: path, HOME: path } };
};

async function ready(demo: Started) {
  const line = (await demo.untilPrinted('stdout', '\n')).split('\n')[0] ?? '';
  return readySchema.parse(JSON.parse(line));
}

async function list({ url, key, workspace_id, farm_id }: z.infer<typeof readySchema>) {
  const address = `${url}/private-api/v1/${workspace_id}/farms/${farm_id}/miner/latest?pageSize=1000`;
  const { body } = await request(address, { headers: { 'x-api-key': key } });
  return minerListSchema.parse(await body.json()).data;
}

test('its first line is the way in, the list behind it is whole and valid, and it ends by itself without a trace', async () => {
  const { path, environment } = temporary('own-');
  const args = ['demo', '--miners', '60', '--network', loopback().network, '--json', '--for', '30s'];
  const demo = startPithead(args, { environment, cwd: path });
  const way = await ready(demo);
  expect(way.miners).toBe(60);
  const miners = await list(way);
  expect(miners).toHaveLength(60);
  expect(new Set(miners.map(({ id }) => id)).size).toBe(60);
  await expect.poll(async () => (await list(way)).filter(({ hashrate }) => hashrate === null)).toEqual([]);
  const { code, stdout, stderr } = await demo.end();
  expect({ code, lines: stdout.trimEnd().split('\n').length }, stderr).toEqual({ code: 0, lines: 1 });
  expect(readdirSync(path)).toEqual([]);
});

/**
 * Who may not listen on port 80: the user of this test, or nobody if that is root. Undefined with the reason when
 * everybody may.
 */
function ordinaryUser(): { uid: number | undefined } | string {
  const isRoot = process.getuid?.() === 0;
  const who = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const probe =
    "require('node:net').createServer().on('error',e=>process.exit(e.code==='EACCES'?9:8)).listen(80,'127.0.0.2',()=>process.exit(0))";
  const { status } = spawnSync(process.execPath, ['-e', probe], { ...who, timeout: 20_000 });
  if (status === 0 || status === 8)
    return 'every user of this host may listen on port 80: there is nothing to agree on';
  const { status: read } = spawnSync(
    process.execPath,
    ['-e', `require('node:fs').readFileSync(${JSON.stringify(MAIN)})`],
    { ...who, timeout: 20_000 },
  );
  if (status !== 9 || read !== 0) return 'another user may not read the project here';
  return { uid: isRoot ? NOBODY : undefined };
}

test('an ordinary user who may not use port 80 gets the same demo on mapped ports, without being asked', async (context) => {
  const user = ordinaryUser();
  if (typeof user === 'string') return context.skip(user);
  const { uid } = user;
  const { path, environment } = temporary('nobody-');
  if (uid !== undefined) for (const place of [folder, path]) chownSync(place, uid, uid);
  const args = ['demo', '--miners', '12', '--network', loopback(26).network, '--json', '--log-level', 'error'];
  const demo = startPithead(args, { environment, cwd: path, ...(uid === undefined ? {} : { uid }) });
  try {
    const miners = await list(await ready(demo));
    expect(miners).toHaveLength(12);
    const servers = await Promise.all(
      miners.map(async ({ ip }) => ({ mapped: await listens(ip, 8_080), standard: await listens(ip, 80) })),
    );
    expect(servers.filter(({ mapped }) => mapped).length).toBeGreaterThan(0);
    expect(servers.filter(({ standard }) => standard)).toEqual([]);
    demo.kill('SIGTERM');
    const { code, stderr } = await demo.end();
    expect(code, stderr).toBe(0);
    expect(readdirSync(path)).toEqual([]);
  } finally {
    demo.kill('SIGKILL');
  }
});

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: 5_000 });
    const answer = (is: boolean) => () => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', answer(true)).once('error', answer(false)).once('timeout', answer(false));
  });
}

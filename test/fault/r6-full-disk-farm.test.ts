// The disk of an agent's host is full: its miners stay what they are at the service, which says why, and once there is
// room all is as before. With the service on the same disk its lists are served on, and it says that it is not ready.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { expect, type TestContext, test } from 'vitest';
import { z } from 'zod';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createService } from '../../src/service/service.ts';
import { runPithead, type Started, startPithead } from '../e2e/process.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { canMount, mountSmallDisk } from './small-disk.ts';
import { canTrace } from './strace.ts';
import { isWithin, report } from './table.ts';

const MINERS = 6;
/** Of each test its own: they mostly wait, and do so side by side. */
const NET = loopback(25);
const networkOf = (nth: number) => NET.part(nth * 16, 28);
const NORMAL_MS = 60_000;
/** What `pithead status` ends with where none runs. */
const NOT_RUNNING = 3;
/** Databases are written at places, everything else is not. */
const REFUSE_READS_AND_WRITES = [
  ...['-e', 'trace=pwrite64,pread64,fsync,fdatasync'],
  ...['-e', 'inject=pwrite64,pread64,fsync,fdatasync:error=EIO'],
];
const REFUSE_WRITES = ['-e', 'trace=pwrite64', '-e', 'inject=pwrite64:error=EROFS'];

type Answer = { readonly status: number; readonly body: unknown };

/** A farm, the `nth` of this file, and a folder whose `state` is a small disk. */
async function makeSite(nth: number, { onTestFinished }: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-full-'));
  chmodSync(folder, 0o755);
  const portMap = await suitablePortMap();
  const farm = await startFarm({
    ...{ network: networkOf(nth), miners: MINERS, mix: { 'whatsminer-2': MINERS }, seed: 5, portMap },
    ...{ noise: 0.01, noiseStepS: 1, bootS: 2, warmUpS: 2 },
  });
  const disk = await mountSmallDisk(join(folder, 'state'), 24);
  const running: Started[] = [];
  onTestFinished(async () => {
    for (const each of running) {
      each.kill('SIGTERM');
      await each.end();
    }
    await disk.unmount();
    await farm.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(join(folder, 'pithead.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
  const config = join(folder, 'pithead.yaml');
  const pithead = (...args: string[]) => runPithead([...args, '--config', config], { enter: disk.enter });
  return {
    ...{ folder, disk, pithead, farm },
    write: (more: object) =>
      writeFileSync(
        config,
        JSON.stringify({
          stateDir: 'state',
          networks: [networkOf(nth)],
          portMap,
          poll: { interval: '1s', deadline: '3s' },
          ...more,
        }),
      ),
    start(...args: string[]) {
      const started = startPithead([...args, '--config', config], { enter: disk.enter });
      running.push(started);
      return started;
    },
    status: async () =>
      z
        .looseObject({ troubles: z.array(z.string()), outbox: z.looseObject({ fault: z.string().nullable() }) })
        .parse(JSON.parse((await pithead('status', '--json')).stdout)),
  };
}

const minersSchema = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), status: z.string(), last_updated_at: z.string().nullable() })),
});
const agentsSchema = z.looseObject({
  data: z.array(z.looseObject({ status: z.string(), storage_fault: z.looseObject({ reason: z.string() }).nullable() })),
});
const keySchema = z.looseObject({ key: z.string(), workspace_id: z.string(), farm_id: z.string() });
const batchSchema = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
const statusSchema = z.looseObject({ data: z.looseObject({ status: z.string() }) });
const eventsSchema = z.looseObject({ data: z.array(z.looseObject({ type: z.string() })) });

function clientOf(url: string, { key, workspaceId, farmId }: Record<'key' | 'workspaceId' | 'farmId', string>) {
  const get = async (path: string): Promise<Answer> => {
    const { statusCode, body } = await request(`${url}${path}`, { headers: { 'x-api-key': key } });
    return { status: statusCode, body: await body.json() };
  };
  const v2 = `/public-api/v2/workspaces/${workspaceId}/farms/${farmId}`;
  return {
    /** Gives the status of its task. */
    async reboot(id: string) {
      const { body } = await request(`${url}${v2}/task-batches`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ task_name: 'miner.system.reboot', miner_ids: [id] }),
      });
      const batchId = batchSchema.parse(await body.json()).data[0]?.id ?? '';
      return async () => statusSchema.parse((await get(`${v2}/task-batches/${batchId}`)).body).data.status;
    },
    ready: () => get('/readyz'),
    healthy: () => get('/healthz'),
    miners: async () =>
      minersSchema.parse((await get(`/private-api/v1/${workspaceId}/farms/${farmId}/miner/latest?pageSize=100`)).body)
        .data,
    storageFault: async () => agentsSchema.parse((await get(`${v2}/agents`)).body).data[0]?.storage_fault ?? null,
    eventTypes: async (type: string) =>
      eventsSchema.parse((await get(`${v2}/events?type=${type}`)).body).data.map((event) => event.type),
  };
}

type Client = ReturnType<typeof clientOf>;

/** What the program asks of its disk fails from now on, until the function that it gives is called. */
function refuse(program: Started, options: readonly string[], { onTestFinished }: TestContext): () => Promise<unknown> {
  const refusing = spawn('strace', ['-f', '-qq', '-o', '/dev/null', '-p', String(program.pid), ...options]);
  onTestFinished(() => void refusing.kill('SIGKILL'));
  return async () => {
    refusing.kill('SIGINT');
    await once(refusing, 'close');
  };
}

/** Agent and service in one process, with a key, once every miner was read. */
async function startUp(site: Awaited<ReturnType<typeof makeSite>>) {
  site.write({});
  const up = site.start('up', '--port', '0');
  await up.untilPrinted('stderr', 'service on');
  const url = /service on (\S+?),/.exec(up.stderr())?.[1] ?? '';
  const made = keySchema.parse(
    JSON.parse((await site.pithead('key', 'create', '--name', 'test', '--role', 'admin', '--json')).stdout),
  );
  const client = clientOf(url, { key: made.key, workspaceId: made.workspace_id, farmId: made.farm_id });
  await untilReadAfter(client, 0);
  return { up, client };
}

/** Every miner was read after this instant, and shows it. */
const untilReadAfter = (client: Client, atMs: number) =>
  until(
    client.miners,
    (found) => found.length === MINERS && found.every((miner) => Date.parse(miner.last_updated_at ?? '') > atMs),
  );

test
  .runIf(canMount)
  .concurrent(
    'a full disk under the agent: its miners show live values at the service, which says why, and an order is carried out once',
    async (context) => {
      const site = await makeSite(0, context);
      const databasePath = join(site.folder, 'company.sqlite');
      const service = await createService({
        ...{ databasePath, host: '127.0.0.1', port: 0, clock: systemClock, log: silentLog, version: '0.0.0' },
      });
      const { url } = await service.start();
      context.onTestFinished(() => service.stop());
      const { workspaceId, farmId } = await service.admin.ensureDefaults();
      const { key } = await service.admin.createKey({ workspaceId, name: 'test', role: 'admin' });
      const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 600_000 });
      site.write({ service: { url, enrolmentCode: code, allowPlain: true } });
      const agent = site.start('agent');
      const client = clientOf(url, { key, workspaceId, farmId });
      await untilReadAfter(client, 0);
      expect(await client.storageFault()).toBeNull();

      site.disk.fill();
      await until(client.storageFault, (fault) => fault?.reason === 'the disk is full');
      const fullAtMs = Date.now();
      // For long enough that what was on its way is through: only what goes past the disk can be newer.
      const shown = await untilReadAfter(client, fullAtMs + 8_000);
      expect(shown.map(({ status }) => status)).toEqual(shown.map(() => 'online'));
      const ordered = await client.reboot(shown[0]?.id ?? '');
      const { troubles } = await site.status();
      expect(troubles.join('\n')).toContain('what it has to report cannot be kept: the disk is full');
      expect(agent.hasEnded).toBe(false);

      site.disk.free();
      const freedAtMs = performance.now();
      await until(client.storageFault, (fault) => fault === null);
      await untilReadAfter(client, Date.now());
      const normalMs = performance.now() - freedAtMs;
      expect(await client.eventTypes('storage_failed')).toEqual(['storage_failed']);
      expect(await client.eventTypes('storage_recovered')).toEqual(['storage_recovered']);
      // The record of trust looks again after half a minute.
      await until(site.status, (state) => state.troubles.length === 0);
      // Where it could not be written into the journal it was left, and came again.
      expect(await until(ordered, (status) => status !== 'pending' && status !== 'running')).toBe('succeeded');
      expect(site.farm.devices.reduce((sum, { reboots }) => sum + reboots, 0)).toBe(1);
      using book = new DatabaseSync(databasePath, { readOnly: true });
      await until(
        () => book.prepare('SELECT count(*) AS n FROM miners WHERE unkept_through IS NOT NULL').get(),
        (row) => row?.n === 0,
      );
      report({
        id: 'R6',
        value: `full disk, service elsewhere: ${shown.length} of ${MINERS} miners live; normal ${(normalMs / 1_000).toFixed(1)} s after space came back`,
        bar: 'all miners live, the reason told, normal ≤ 60 s',
        isMet: shown.length === MINERS && isWithin(normalMs, NORMAL_MS),
      });
    },
  );

test
  .runIf(canMount)
  .concurrent(
    'a full disk under agent and service: not ready, with the reason; lists are served; normal by itself',
    async (context) => {
      const site = await makeSite(1, context);
      site.write({});
      const up = site.start('up', '--port', '0');
      await up.untilPrinted('stderr', 'service on');
      const url = /service on (\S+?),/.exec(up.stderr())?.[1] ?? '';
      const made = z
        .looseObject({ key: z.string(), workspace_id: z.string(), farm_id: z.string() })
        .parse(JSON.parse((await site.pithead('key', 'create', '--name', 'test', '--role', 'admin', '--json')).stdout));
      const client = clientOf(url, { key: made.key, workspaceId: made.workspace_id, farmId: made.farm_id });
      await untilReadAfter(client, 0);
      expect((await client.ready()).status).toBe(200);

      site.disk.fill();
      const refused = await until(client.ready, ({ status }) => status === 503);
      expect(refused.body).toMatchObject({ message: 'Nothing can be stored: the disk is full' });
      expect((await client.healthy()).status).toBe(200);
      expect(await client.miners()).toHaveLength(MINERS);
      const { troubles } = await until(site.status, (state) =>
        state.troubles.join().includes('the service cannot store anything'),
      );
      expect(troubles.join('\n')).toContain('the service cannot store anything: the disk is full');
      expect(up.hasEnded).toBe(false);

      site.disk.free();
      const freedAtMs = performance.now();
      await until(client.ready, ({ status }) => status === 200);
      await untilReadAfter(client, Date.now());
      const normalMs = performance.now() - freedAtMs;
      await until(site.status, (state) => state.troubles.length === 0);
      report({
        id: 'R6',
        value: `full disk, service on it: 503 with the reason, lists served; normal ${(normalMs / 1_000).toFixed(1)} s after space came back`,
        bar: 'not ready while nothing can be stored, normal ≤ 60 s',
        isMet: isWithin(normalMs, NORMAL_MS),
      });
    },
  );

test
  .runIf(canMount)
  .concurrent(
    'a start on a disk that takes nothing says what to do, and goes on by itself once it does',
    async (context) => {
      const site = await makeSite(2, context);
      site.write({});
      const { disk } = site;
      const isServing = async () => (await site.pithead('status')).code !== NOT_RUNNING;
      const startOn = async (fault: string, refuse: () => void, relent: () => void) => {
        refuse();
        const up = site.start('up', '--port', '0');
        expect(await up.untilPrinted('stdout', 'cannot start')).toContain(`cannot start: ${fault}`);
        expect(up.hasEnded).toBe(false);
        expect(await isServing()).toBe(false);
        const found = await site.pithead('doctor');
        expect([found.code, found.stdout]).toEqual([
          1,
          expect.stringMatching(/WRONG .*state .*(the disk is full|the disk is read-only)/),
        ]);
        relent();
        await up.untilPrinted('stderr', 'service on');
        await until(isServing, (is) => is);
        up.kill('SIGTERM');
        expect((await up.end()).code).toBe(0);
        expect(disk.files().filter((name) => /damaged|probe/.test(name))).toEqual([]);
      };
      // For the first time, and again with what is there then.
      await startOn('the disk is full', disk.fill, disk.free);
      await startOn('the disk is full', disk.fill, disk.free);
      await startOn(
        'the disk is read-only',
        () => disk.remount('ro'),
        () => disk.remount('rw'),
      );
    },
  );

test
  .runIf(canMount && canTrace)
  .concurrent(
    'a disk that turns read-only while they run ends neither agent nor service, and they recover',
    async (context) => {
      const site = await makeSite(3, context);
      site.write({});
      const up = site.start('up', '--port', '0');
      await up.untilPrinted('stderr', 'service on');
      const url = /service on (\S+?),/.exec(up.stderr())?.[1] ?? '';
      const ready = async () => (await request(`${url}/readyz`)).statusCode;
      await until(ready, (status) => status === 200);
      await until(site.status, ({ troubles }) => troubles.length === 0);
      // As a file system does it that has met an error: files that are open for writing take no more.
      const relent = refuse(up, REFUSE_WRITES, context);
      await until(ready, (status) => status === 503);
      const { troubles } = await until(site.status, (state) =>
        state.troubles.some((text) => text.includes('cannot be kept')),
      );
      expect(troubles.join('\n')).toContain('the service cannot store anything');
      expect(up.hasEnded).toBe(false);
      await relent();
      await until(ready, (status) => status === 200);
      await until(site.status, (state) => state.troubles.length === 0);
      expect(up.hasEnded).toBe(false);
    },
  );

test
  .runIf(canMount && canTrace)
  .concurrent(
    'a disk that neither reads nor writes for a while ends nothing, and nothing is taken for damaged',
    async (context) => {
      const site = await makeSite(4, context);
      const { up, client } = await startUp(site);
      const relent = refuse(up, REFUSE_READS_AND_WRITES, context);
      await until(client.ready, ({ status }) => status === 503);
      // SQLite itself calls what the disk does not read malformed.
      await up.untilPrinted('stdout', 'database disk image is malformed');
      const { troubles } = await until(site.status, (state) => state.troubles.length >= 2);
      expect(troubles.join('\n')).toContain('the disk does not answer');
      expect(up.hasEnded).toBe(false);
      await relent();
      await until(client.ready, ({ status }) => status === 200);
      // The key of before is known: it is the same database.
      await untilReadAfter(client, Date.now());
      expect(up.hasEnded).toBe(false);
      expect(site.disk.files().filter((name) => name.includes('damaged'))).toEqual([]);
    },
  );

test
  .runIf(canMount)
  .concurrent(
    'a disk that was unmounted under the program: what it writes is gone, and that is told',
    async (context) => {
      const site = await makeSite(5, context);
      const { up, client } = await startUp(site);
      site.disk.detach();
      const refused = await until(client.ready, ({ status }) => status === 503);
      expect(refused.body).toMatchObject({ message: 'Nothing can be stored: the file is not where it was opened' });
      await until(client.storageFault, (fault) => fault?.reason === 'the file is not where it was opened');
      // It goes on: the farm is watched from memory.
      await untilReadAfter(client, Date.now());
      expect(up.hasEnded).toBe(false);
    },
  );

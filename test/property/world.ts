// A running service with something in it: two workspaces with agents, miners, orders and history, one that holds a
// grant, and keys of every kind.
import { enoughFor, PERMISSIONS, TASK_PERMISSIONS } from '../../src/model/permissions/permissions.ts';
import type { Needed } from '../../src/service/auth/rules.data.ts';
import { DEFAULT_LIMITS } from '../../src/service/http/server.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { queryDatabase } from '../support/database.ts';
import { claimAdmin } from '../unit/service-http/browser.ts';
import { hostRecord, minerRecord } from '../unit/service-http/records.ts';
import { call, type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect, enrol } from '../unit/service-http/wire-agent.ts';
import type { Known } from './arbitrary.ts';

export type Tenant = {
  readonly workspaceId: string;
  readonly farmId: string;
  readonly emptyFarmId: string;
  readonly agentId: string;
  readonly minerIds: readonly string[];
  readonly batchIds: readonly string[];
  readonly webhookIds: readonly string[];
  readonly key: string;
};

export type World = {
  readonly rig: Rig;
  readonly own: Tenant;
  readonly foreign: Tenant;
  /** Keys of the own workspace that are no good, and one of a workspace that has nothing to do with it. */
  readonly badKeys: readonly string[];
  readonly strangerKey: string;
  /** What a browser with the session of an admin of the own workspace sends, and what one without a session does. */
  readonly browser: { readonly cookie: string; readonly origin: string };
  /** Of the own workspace, with every permission but those that are enough. */
  readonly keysWithout: ReadonlyMap<Needed, string>;
  /** Ids of the own workspace, by the names under which requests take them. */
  readonly known: Known;
  /** All rows of the foreign workspace, and how many workspaces, keys of others, farms, agents and miners there are. */
  others(): Promise<string>;
  stop(): Promise<void>;
};

/** Nobody is refused for asking often. */
const UNLIMITED = { perWorkspace: 1e9, perStranger: 1e9, perCode: 1e9, perVisitor: 1e9 };

export async function startWorld(options: Partial<ServiceOptions> = {}): Promise<World> {
  const { rig, stop } = await startOwnedRig({
    limits: { ...DEFAULT_LIMITS, rates: UNLIMITED },
    webhooks: { allowedNetworks: ['127.0.0.0/8'] },
    ...options,
  });
  const { admin } = rig.service;
  const other = await admin.createWorkspace({ name: 'Foreign', slug: 'foreign' });
  const otherFarm = await admin.createFarm({ workspaceId: other.id, name: 'North' });
  const otherKey = await admin.createKey({ workspaceId: other.id, name: 'foreign', role: 'admin' });
  const own = await settle(rig, rig.workspaceId, rig.farmId, rig.key);
  const foreign = await settle(rig, other.id, otherFarm.id, otherKey.key);

  const stranger = await admin.createWorkspace({ name: 'Stranger', slug: 'stranger' });
  const strangerKey = await admin.createKey({ workspaceId: stranger.id, name: 'stranger', role: 'admin' });
  const revoked = await admin.createKey({ workspaceId: rig.workspaceId, name: 'revoked', role: 'admin' });
  await admin.revokeKey(revoked.id);
  const expiresAt = new Date(rig.clock.nowMs() - 1).toISOString();
  const expired = await admin.createKey({ workspaceId: rig.workspaceId, name: 'expired', role: 'admin', expiresAt });
  const keysWithout = new Map<Needed, string>();
  for (const needed of [...PERMISSIONS, 'any-task'] as const) {
    const enough: readonly string[] = needed === 'any-task' ? TASK_PERMISSIONS : enoughFor(needed);
    const permissions = PERMISSIONS.filter((one) => !enough.includes(one));
    // Keys of one millisecond are listed in an order that is not that in which they were made.
    rig.clock.step(1);
    keysWithout.set(needed, (await admin.createKey({ workspaceId: rig.workspaceId, name: 'p', permissions })).key);
  }
  rig.clock.step(1);
  const spare = await admin.createKey({ workspaceId: rig.workspaceId, name: 'spare', role: 'viewer' });
  const person = { workspaceId: rig.workspaceId, name: 'Grace', role: 'viewer' as const, farmRoles: [] };
  const { id: personId } = await admin.people.add(person);
  const cookie = (await claimAdmin(rig)).cookie() ?? '';
  return {
    rig,
    own,
    foreign,
    browser: { cookie, origin: rig.url },
    badKeys: [revoked.key, expired.key, `${rig.key}x`, rig.key.slice(0, -1), rig.key.replace('phk_', 'PHK_')],
    strangerKey: strangerKey.key,
    keysWithout,
    known: { ...knownOf(own, foreign), person_id: [personId], key_id: [spare.id, otherKey.id] },
    others: () => rowsOf(rig, own, foreign),
    stop,
  };
}

/** A farm with a connected agent, miners of many kinds, orders in several states, a day of history. */
async function settle(rig: Rig, workspaceId: string, farmId: string, key: string): Promise<Tenant> {
  const { admin } = rig.service;
  const empty = await admin.createFarm({ workspaceId, name: 'Empty' });
  const identity = await enrol(rig, farmId);
  const agent = await connect(rig, { identity });
  const abilities = ['miner.system.reboot', 'miner.light.update', 'miner.power_mode.update', 'miner.pool.update'];
  const nowMs = rig.clock.nowMs();
  const miners = Array.from({ length: 10 }, (_, n) => minerRecord(n, nowMs, { abilities, ...variant(n) }));
  await agent.report([hostRecord(nowMs), ...miners]);
  const ask = (method: string, path: string, body?: unknown) =>
    call(`${rig.url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const listed = await ask('GET', '/miners?page_size=100');
  const minerIds = listed.body.data.map(({ id }: { id: string }) => id);
  const order = (task_name: string, of: readonly string[], params: unknown) =>
    ask('POST', '/task-batches', { task_name, miner_ids: of, params });
  await order('miner.system.reboot', minerIds.slice(0, 3), {});
  await order('miner.light.update', minerIds.slice(2, 5), { on: true });
  const pools = [{ url: 'stratum+tcp://pool.example:3333', user: 'w', password: 'secret' }];
  await order('miner.pool.update', minerIds.slice(5, 6), { pools });
  await ask('PUT', '/pool-sets/main', { pools });
  await ask('PATCH', `/miners/${minerIds[6]}`, { ops_status: 'maintenance', rack: 'R1', position: 1 });
  const batches = await ask('GET', '/task-batches');
  const batchIds = batches.body.data.map(({ id }: { id: string }) => id);
  await ask('POST', `/task-batches/${batchIds.at(-1)}/cancel`);
  const webhookIds = [await addPaused(rig, workspaceId, key), await addPaused(rig, workspaceId, key)];
  return { workspaceId, farmId, emptyFarmId: empty.id, agentId: identity.agentId, minerIds, batchIds, webhookIds, key };
}

/** Where nothing listens. */
const HOOKS = [
  'http://127.0.0.1:9/hooks',
  'https://127.0.0.1:9/',
  'https://10.0.0.1/',
  'https://user:word@127.0.0.1:9/',
];

/** A webhook that sends nothing. */
async function addPaused(rig: Rig, workspaceId: string, key: string): Promise<string> {
  const webhooks = `${rig.url}/public-api/v2/workspaces/${workspaceId}/webhooks`;
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const made = await call(webhooks, { method: 'POST', headers, body: JSON.stringify({ url: HOOKS[0] }) });
  const { id } = made.body.data;
  await call(`${webhooks}/${id}`, { method: 'PATCH', headers, body: JSON.stringify({ state: 'paused' }) });
  return id;
}

/** Miners that say nothing, everything, and strange things. */
function variant(n: number): Parameters<typeof minerRecord>[2] {
  switch (n) {
    case 0:
      return {
        document: {
          serial_number: null,
          model: null,
          firmware_version: null,
          hashrate: null,
          hashrate_24h: null,
          power: null,
          temp: null,
          temperature_inlet_avg: null,
          temperature_outlet_avg: null,
          efficiency: null,
          last_updated_at: null,
          total_chips: null,
          expected_chips: null,
          hashboards: [],
          psus: [],
          pools: [],
          uptime: 0,
        },
      };
    case 1:
      return { document: { anomaly_flags: 1023, unstable_reason: 'mac_invalid', mining_mode: 'sleep' } };
    case 2:
      return { document: { model: 'Antminer "S19" %_\\ \u202e', mining_mode_preset: '<b>' } };
    case 3:
      return { document: { errors: [{ code: 'P:1', message: null }], last_check_succeed: false } };
    default:
      return {};
  }
}

function knownOf(own: Tenant, foreign: Tenant): Known {
  const both = <K extends 'minerIds' | 'batchIds' | 'webhookIds'>(name: K) => [
    ...own[name],
    ...foreign[name].slice(0, 1),
  ];
  const farms = [own.farmId, own.emptyFarmId];
  const agents = [own.agentId, foreign.agentId];
  return {
    workspace_id: [own.workspaceId],
    farm_id: farms,
    miner_id: both('minerIds'),
    miner_ids: both('minerIds'),
    task_batch_id: both('batchIds'),
    webhook_id: both('webhookIds'),
    name: ['main', 'none'],
    pool_set: ['main', 'none'],
    url: HOOKS,
    farm_ids: farms,
    agent_id: agents,
    agent_ids: agents,
    eq: [...farms, own.agentId, 'R1', 'normal', 'Antminer S19 Pro'],
    in: [...farms, own.agentId, 'R1', 'normal', 'Antminer S19 Pro'],
  };
}

/** Everything of the tenant but the times of last use. */
async function rowsOf({ databasePath }: Rig, own: Tenant, { workspaceId, farmId }: Tenant): Promise<string> {
  const tables = [
    ['workspaces', 'id', workspaceId],
    ['api_keys', 'workspace_id', workspaceId],
    ['farms', 'workspace_id', workspaceId],
    ['agents', 'farm_id', farmId],
    ['miners', 'farm_id', farmId],
    ['task_batches', 'farm_id', farmId],
    ['webhooks', 'workspace_id', workspaceId],
  ] as const;
  const rows = await Promise.all(
    tables.map(([table, column, value]) =>
      queryDatabase(databasePath, `SELECT * FROM ${table} WHERE ${column} = ? ORDER BY id`, value),
    ),
  );
  const documents = await queryDatabase(
    databasePath,
    'SELECT * FROM miner_documents WHERE row_id IN (SELECT row_id FROM miners WHERE farm_id = ?) ORDER BY row_id',
    farmId,
  );
  const counts = await Promise.all(
    ['workspaces', 'farms', 'agents', 'miners', 'grants', 'enrolment_codes'].map((table) =>
      queryDatabase(databasePath, `SELECT count(*) AS rows FROM ${table}`),
    ),
  );
  const keysElsewhere = await queryDatabase(
    databasePath,
    'SELECT count(*) AS rows FROM api_keys WHERE workspace_id <> ?',
    own.workspaceId,
  );
  return JSON.stringify([rows, documents, counts, keysElsewhere], (name, value) =>
    name.startsWith('last_') ? undefined : value,
  );
}

// The same world twice, on SQLite and on PostgreSQL. What is sent to one is sent to the other, and the answers are
// compared: ids may differ as long as they stand for the same, times as long as they are of the same moment.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReportRecord } from '../../src/wire/records.ts';
import { startCluster } from '../postgres/cluster.ts';
import { createClient, type Got, type Sent } from '../property/exchange.ts';
import { startWorld, type World } from '../property/world.ts';
import { newPostgresDatabase } from '../support/database.ts';
import { connect, enrol } from '../unit/service-http/wire-agent.ts';

/** Both worlds are filled within this. */
const SAME_MOMENT_MS = 120_000;
/** The board writes them without hyphens. */
const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/gi;
const KEY_ID = /\b[0-9a-f]{8}\b/g;
const KEY = /phk_[\w-]+/g;

export type Twins = {
  readonly embedded: World;
  readonly postgres: World;
  /** Sends the request, written for the embedded world, to both. `differs` = where the answers are not the same. */
  ask(request: Sent): Promise<{ readonly got: Got; readonly other: Got; readonly differs: string | undefined }>;
  /** One agent in each world, of its own farm. */
  connectAgents(
    epoch: string,
  ): Promise<{ report(records: readonly ReportRecord[]): Promise<void>; stop(): Promise<void> }>;
  stop(): Promise<void>;
};

/** Throws where no PostgreSQL can be started. */
export async function startTwins(): Promise<Twins> {
  const cluster = await startCluster();
  const folder = mkdtempSync(join(tmpdir(), 'pithead-twins-'));
  const database = await newPostgresDatabase(cluster.url);
  const embedded = await startWorld({ databasePath: join(folder, 'service.sqlite') });
  const postgres = await startWorld({ databasePath: database.target });
  const clients = [createClient(embedded.rig.url), createClient(postgres.rig.url)] as const;
  const pairs = createPairs();
  for (const whose of ['own', 'foreign'] as const) {
    const [a, b] = [embedded[whose], postgres[whose]];
    pairs.learn(a.key, b.key);
    pairs.learn(idOfKey(a.key), idOfKey(b.key));
    for (const name of ['workspaceId', 'farmId', 'emptyFarmId', 'agentId'] as const) pairs.learn(a[name], b[name]);
    for (const name of ['minerIds', 'batchIds', 'webhookIds'] as const)
      for (const [index, id] of a[name].entries()) pairs.learn(id, b[name][index] ?? '');
  }
  return {
    embedded,
    postgres,
    async ask(request) {
      const translated: Sent = {
        ...request,
        path: pairs.toOther(request.path),
        headers: Object.fromEntries(Object.entries(request.headers).map(([name, text]) => [name, pairs.toOther(text)])),
        body: typeof request.body === 'string' ? pairs.toOther(request.body) : request.body,
      };
      const [got, other] = await Promise.all([clients[0].send(request), clients[1].send(translated)]);
      return { got, other, differs: difference(pairs, got, other) };
    },
    async connectAgents(epoch) {
      const open = async ({ rig, own }: World) => connect(rig, { identity: await enrol(rig, own.farmId), epoch });
      const [first, second] = await Promise.all([open(embedded), open(postgres)]);
      pairs.learn(first.identity.agentId, second.identity.agentId);
      return {
        report: async (records) => void (await Promise.all([first.report(records), second.report(records)])),
        stop: async () => void (await Promise.all([first.close(), second.close()])),
      };
    },
    async stop() {
      await Promise.all(clients.map((client) => client.close()));
      await embedded.stop();
      await postgres.stop();
      await database.drop();
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const idOfKey = (key: string) => key.split('_')[1] ?? '';

type Pairs = ReturnType<typeof createPairs>;

/** Which text of one world is which of the other. */
function createPairs() {
  const others = new Map<string, string>();
  const known = new Set<string>();
  return {
    learn(one: string, other: string): void {
      others.set(one, other);
      known.add(other);
    },
    areKnown: (one: string, other: string) => others.get(one) === other,
    /** Learns them when neither was seen before. */
    areSame(one: string, other: string): boolean {
      const expected = others.get(one);
      if (expected !== undefined) return expected === other;
      if (known.has(other)) return false;
      this.learn(one, other);
      return true;
    },
    toOther: (text: string) =>
      text
        .replaceAll(KEY, (key) => others.get(key) ?? key)
        .replaceAll(UUID, (id) => others.get(id) ?? others.get(id.toLowerCase()) ?? id)
        .replaceAll(KEY_ID, (id) => others.get(id) ?? id),
  };
}

function difference(pairs: Pairs, got: Got, other: Got): string | undefined {
  if (got.status !== other.status) return `status ${got.status} and ${other.status}: ${other.text.slice(0, 200)}`;
  if (got.type !== other.type) return `type ${got.type} and ${other.type}`;
  // Of the process, not of what is stored.
  if (got.type === 'text/plain') return undefined;
  if (got.type !== 'application/json') return differs(pairs, got.text, other.text, 'text');
  return differs(pairs, JSON.parse(got.text), JSON.parse(other.text), 'body');
}

function differs(pairs: Pairs, one: unknown, other: unknown, path: string): string | undefined {
  const unequal = () => `${path}: ${JSON.stringify(one)?.slice(0, 120)} and ${JSON.stringify(other)?.slice(0, 120)}`;
  if (typeof one === 'string' && typeof other === 'string')
    return isSameText(pairs, one, other) ? undefined : unequal();
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return Object.is(one, other) || isSameMoment(one, other) || isSameAge(one, other, path) ? undefined : unequal();
  const names = Object.keys(one);
  if (names.join() !== Object.keys(other).join()) return `${path}: fields ${names} and ${Object.keys(other)}`;
  for (const name of names) {
    const found = differs(pairs, Reflect.get(one, name), Reflect.get(other, name), `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The beginning of an id, where a message shows so much of what it received. */
const CUT_ID = /[0-9a-f-]+(?=…)/gi;
/** Of webhooks, one-time codes of people, and texts of keys: random in each world. */
const SECRET = /phk_[\w-]+|whsec_[A-Za-z0-9+/]{43}=|\b[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}\b/g;
const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Without the ids, times and secrets in it. */
export const bare = (text: string): string =>
  text.replaceAll(UUID, '<id>').replaceAll(CUT_ID, '<cut id>').replaceAll(SECRET, '<secret>').replaceAll(ISO, '<time>');

const isKeyId = (text: string) => text.length === 8 && text.replaceAll(KEY_ID, '') === '';

/** The same but for the ids, times and secrets in it. */
function isSameText(pairs: Pairs, one: string, other: string): boolean {
  if (one === other || pairs.areKnown(one, other)) return true;
  if (isKeyId(one) && isKeyId(other)) return pairs.areSame(one, other);
  if (bare(one) !== bare(other)) return false;
  const idsOf = (text: string) => text.match(UUID) ?? [];
  const timesOf = (text: string) => (text.match(ISO) ?? []).map((time) => Date.parse(time));
  const [ids, times] = [idsOf(other), timesOf(other)];
  return (
    idsOf(one).every((id, index) => id === ids[index] || pairs.areSame(id, ids[index] ?? '')) &&
    timesOf(one).every((time, index) => Math.abs(time - (times[index] ?? Number.NaN)) <= SAME_MOMENT_MS)
  );
}

/** Ages of the board, ms. */
const isSameAge = (one: unknown, other: unknown, path: string) =>
  /_ago\.\d+$/.test(path) &&
  typeof one === 'number' &&
  typeof other === 'number' &&
  Math.abs(one - other) <= SAME_MOMENT_MS;

/** Seconds since 1970, as some fields have it. */
const isSameMoment = (one: unknown, other: unknown) =>
  typeof one === 'number' &&
  typeof other === 'number' &&
  one > 1.6e9 &&
  Math.abs(one - other) <= SAME_MOMENT_MS / 1_000;

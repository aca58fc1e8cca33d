// Which stored miner an agent's key means: the registration if there is one, else an existing miner of the farm by valid MAC, then valid serial,
// then address; else none, and the caller makes a new one. Spec decisions, "Flags and identity". It writes nothing.

import { parseIpv4 } from '../../../base/net/ipv4.ts';
import { normaliseMac, normaliseSerial } from '../../../model/identity-facts.ts';
import type { MinerRecord } from '../../../wire/records.ts';
import type { Db, Row } from '../schema.ts';

/** A key that has been silent for this long no longer holds on to its miner. Agents report even silent miners every few minutes. */
const LIVE_KEY_MS = 15 * 60_000;

/** What lists, filters and identity look up, and what hardly ever changes. */
export const STEADY = [
  'agent_id',
  'agent_key',
  'ip_num',
  'mac',
  'serial',
  'serials',
  'anomaly_flags',
  'unstable_reason',
  'mining_mode',
  'model',
  'firmware_version',
  'firmware',
  'hostname',
  'expected_hashrate',
] as const;
const KNOWN = ['row_id', 'id', 'created_at', 'reported_at', 'reported_order', ...STEADY] as const;
export type KnownMiner = Readonly<Pick<Row<'miners'>, (typeof KNOWN)[number]>>;

const KNOWN_COLUMNS = KNOWN.map((column) => `miners.${column}` as const);

export type Registered = KnownMiner & { readonly key: string; readonly epoch: string; readonly last_at: number };

/** The miners that this agent has registered under the keys. */
export async function findRegistered(
  db: Db,
  agentId: string,
  keys: readonly string[],
): Promise<Map<string, Registered>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom('registrations')
    .innerJoin('miners', 'miners.row_id', 'registrations.row_id')
    .select(KNOWN_COLUMNS)
    .select(['registrations.key', 'registrations.epoch', 'registrations.last_at'])
    .where('registrations.agent_id', '=', agentId)
    .where('registrations.key', 'in', keys)
    .execute();
  return new Map(rows.map((row) => [row.key, row]));
}

/** MAC and serial as they may identify; `''` where the value cannot. */
export function identityOf({ document, mac_state, sn_state }: MinerRecord): {
  mac: string;
  serial: string;
  ipNum: number;
} {
  const mayMac = mac_state === 'ok' || mac_state === 'duplicate';
  const maySerial = sn_state === 'ok' || sn_state === 'duplicate';
  return {
    mac: (mayMac ? normaliseMac(document.mac) : undefined) ?? '',
    serial: maySerial ? normaliseSerial(document.serial_number ?? '') : '',
    ipNum: parseIpv4(document.ip) ?? 0,
  };
}

/**
 * For keys without registration: the existing miner that each one continues. A miner is given away once only, and never while another live key
 * of the same agent is registered to it: two keys with the same duplicate MAC stay two miners.
 */
export async function findAdoptable(
  db: Db,
  agent: { agentId: string; farmId: string; epoch: string; nowMs: number },
  records: readonly MinerRecord[],
): Promise<Map<string, KnownMiner>> {
  const adopted = new Map<string, KnownMiner>();
  if (records.length === 0) return adopted;
  const wanted = records.map((record) => ({ key: record.key, ...identityOf(record) }));
  const candidates = await findCandidates(db, agent.farmId, wanted);
  if (candidates.length === 0) return adopted;
  const taken = await findHeld(db, agent, candidates);
  const rungs: readonly ((want: Want, miner: KnownMiner) => boolean)[] = [
    (want, miner) => want.mac !== '' && miner.mac === want.mac,
    (want, miner) => want.serial !== '' && miner.serial === want.serial,
    (want, miner) =>
      miner.unstable_reason === 'ip_only' && miner.ip_num === want.ipNum && !isServedElsewhere(miner, agent),
  ];
  for (const isMatch of rungs) {
    for (const want of wanted) {
      if (adopted.has(want.key)) continue;
      const best = candidates
        .filter((miner) => !taken.has(miner.row_id) && isMatch(want, miner))
        .toSorted((a, b) => likeness(want, b) - likeness(want, a) || b.reported_at - a.reported_at)[0];
      if (best === undefined) continue;
      adopted.set(want.key, best);
      taken.add(best.row_id);
    }
  }
  return adopted;
}

type Want = { readonly key: string; readonly mac: string; readonly serial: string; readonly ipNum: number };

/** Among several miners with the same MAC (vendors ship such), the one that agrees in more. */
const likeness = (want: Want, miner: KnownMiner) =>
  (want.serial !== '' && miner.serial === want.serial ? 2 : 0) + (miner.ip_num === want.ipNum ? 1 : 0);

/** Two agents of a farm may serve the same private addresses on separate networks. */
const isServedElsewhere = (miner: KnownMiner, { agentId, nowMs }: { agentId: string; nowMs: number }) =>
  miner.agent_id !== null && miner.agent_id !== agentId && miner.reported_at > nowMs - LIVE_KEY_MS;

async function findCandidates(db: Db, farmId: string, wanted: readonly Want[]): Promise<KnownMiner[]> {
  const macs = wanted.map(({ mac }) => mac).filter((mac) => mac !== '');
  const serials = wanted.map(({ serial }) => serial).filter((serial) => serial !== '');
  const ofFarm = db.selectFrom('miners').select(KNOWN_COLUMNS).where('miners.farm_id', '=', farmId);
  // One query per rung, so that each is served by its own index.
  const found = [
    macs.length > 0 ? await ofFarm.where('miners.mac', 'in', macs).execute() : [],
    serials.length > 0 ? await ofFarm.where('miners.serial', 'in', serials).execute() : [],
    await ofFarm
      .where(
        'miners.ip_num',
        'in',
        wanted.map(({ ipNum }) => ipNum),
      )
      .where('miners.unstable_reason', '=', 'ip_only')
      .execute(),
  ].flat();
  return [...new Map(found.map((miner) => [miner.row_id, miner])).values()];
}

async function findHeld(
  db: Db,
  agent: { agentId: string; epoch: string; nowMs: number },
  candidates: readonly KnownMiner[],
): Promise<Set<number>> {
  const rows = await db
    .selectFrom('registrations')
    .select('row_id')
    .where('agent_id', '=', agent.agentId)
    .where(
      'row_id',
      'in',
      candidates.map(({ row_id }) => row_id),
    )
    .where('epoch', '=', agent.epoch)
    .where('last_at', '>', agent.nowMs - LIVE_KEY_MS)
    .execute();
  return new Set(rows.map(({ row_id }) => row_id));
}

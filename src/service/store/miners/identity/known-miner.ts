// What is known of a stored miner when an agent reports it: the columns that are compared, and how it is found by its
// row or by the agent's key. It decides nothing.
import { parseIpv4 } from '../../../../base/net/ipv4.ts';
import { normaliseMac, normaliseSerial } from '../../../../model/identity-facts.ts';
import type { MinerRecord } from '../../../../wire/records.ts';
import { chunks } from '../../rows.ts';
import { type Db, type Row, STEADY } from '../../schema.ts';

/**
 * A key that has been silent for this long no longer holds on to its miner. Agents report even silent miners every few
 * minutes.
 */
export const LIVE_KEY_MS = 15 * 60_000;

const KNOWN = [
  'row_id',
  'id',
  'created_at',
  'reported_at',
  'reported_order',
  'seen_at',
  'rival_row_id',
  ...STEADY,
] as const;
export type KnownMiner = Readonly<Pick<Row<'miners'>, (typeof KNOWN)[number]>>;

export const KNOWN_COLUMNS = KNOWN.map((column) => `miners.${column}` as const);

export type Registered = KnownMiner & Readonly<Pick<Row<'registrations'>, 'key' | 'epoch' | 'last_at' | 'replaced_at'>>;

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
    .select(['registrations.key', 'registrations.epoch', 'registrations.last_at', 'registrations.replaced_at'])
    .where('registrations.agent_id', '=', agentId)
    .where('registrations.key', 'in', keys)
    .execute();
  return new Map(rows.map((row) => [row.key, row]));
}

/** The miners of these rows, as far as they are there. */
export async function findRows(db: Db, rowIds: readonly number[]): Promise<KnownMiner[]> {
  const found: KnownMiner[] = [];
  for (const part of chunks(rowIds))
    found.push(...(await db.selectFrom('miners').select(KNOWN_COLUMNS).where('row_id', 'in', part).execute()));
  return found;
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

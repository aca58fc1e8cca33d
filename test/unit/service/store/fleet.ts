// A farm as they are: a few models, most miners well, some asleep, stale, flagged, out of service; a neighbour farm in
// the same database. The same in every run. Tests and benches that ask for plans need tables of a size at which plans
// differ.
import { sql } from 'kysely';
import type { Databases } from '../../../../src/service/store/databases.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import type { MinerRecord } from '../../../../src/wire/records.ts';
import { minerRecord } from '../../service-http/records.ts';

export type Fleet = {
  readonly farmId: string;
  readonly neighbourFarmId: string;
  /** The first has nine of ten miners. */
  readonly agentIds: readonly [string, string];
  readonly nowMs: number;
};

const FARM = '019a0000-0000-7000-8000-00000000000a';
const NEIGHBOUR = '019a0000-0000-7000-8000-00000000000b';
const AGENTS = ['019a0000-0000-7000-8000-0000000000a1', '019a0000-0000-7000-8000-0000000000a2'] as const;
const NEIGHBOUR_AGENT = '019a0000-0000-7000-8000-0000000000b1';
export const SLICE = 500;
/** 10.0.0.0 */
const FIRST_IP = 0x0a000000;

/** Every n-th of a hundred, spread over the farm. */
const share = (n: number, salt: number) => ((n * 2_654_435_761 + salt * 40_503) >>> 8) % 1_000;
const at = <T>(items: readonly [T, ...T[]], index: number): T => items[index % items.length] ?? items[0];

const MODELS = [
  'Antminer S19 Pro',
  'Antminer S21',
  'Antminer S19j Pro',
  'Whatsminer M50S',
  'Whatsminer M30S++',
] as const;
const dotted = (ip: number) => [24, 16, 8, 0].map((shift) => (ip >>> shift) & 255).join('.');
const hex = (n: number) => n.toString(16).padStart(6, '0').toUpperCase();

/** The n-th miner of the farm. Rare things are one in a hundred to one in a thousand. */
export function fleetRecord(n: number, atMs: number, prefix = 'A'): MinerRecord {
  const id = `${prefix}${hex(n)}`;
  const isSilent = share(n, 1) < 30;
  const isAsleep = share(n, 2) < 50;
  const isRareModel = share(n, 3) < 5;
  const isIpOnly = share(n, 4) < 10;
  const flags = share(n, 5) < 60 ? 1 << (share(n, 6) % 10) : 0;
  const expected = share(n, 7) < 20 ? null : 110e12;
  const hashrate = isSilent ? null : isAsleep ? 0 : 110e12 * (0.7 + share(n, 8) / 2_500);
  const seenAt = new Date(isSilent ? atMs - 3_600_000 : atMs).toISOString();
  return minerRecord(n & 0xffff, atMs, {
    key: `00000000-0000-4000-8000-${prefix === 'A' ? '0' : '1'}${n.toString(16).padStart(11, '0')}`,
    mac_state: isIpOnly ? 'empty' : 'ok',
    sn_state: isIpOnly ? 'empty' : 'ok',
    document: {
      ip: dotted(FIRST_IP + n),
      mac: isIpOnly ? '' : `02:${prefix === 'A' ? '0A' : '0B'}:00:${hex(n).replace(/(..)(..)(..)/, '$1:$2:$3')}`,
      serial_number: isIpOnly ? null : `SN-${id}`,
      unstable_reason: isIpOnly ? 'ip_only' : null,
      model: isRareModel ? 'Avalon A1566' : at(MODELS, share(n, 9)),
      firmware_version: `2024-${1 + (share(n, 10) % 9)}`,
      mining_mode: isAsleep ? 'sleep' : share(n, 11) < 100 ? 'high' : share(n, 11) < 130 ? 'low' : 'normal',
      is_mining: !isAsleep && !isSilent,
      last_check_succeed: !isSilent,
      last_updated_at: seenAt,
      hashrate,
      anomaly_flags: flags,
      hashboards: [0, 1, 2].map((board) => ({
        serial_number: isIpOnly ? null : `HB-${id}-${board}`,
        hashrate: hashrate === null ? null : hashrate / 3,
        chips: 114,
        chip_frequency: 545,
      })),
      psus: [{ serial_number: isIpOnly ? null : `PSU-${id}`, temperature: 45 }],
    },
    extras: {
      hostname: `host-${id.toLowerCase()}`,
      firmware: isRareModel ? 'avalon' : share(n, 12) < 700 ? 'antminer-stock' : 'vnish',
      controller_serial_number: isIpOnly ? null : `CB-${id}`,
      expected_hashrate: expected,
    },
  });
}

/**
 * Reports the fleet through the store as agents do, and gives miners racks and ops statuses. A neighbour farm gets a
 * tenth as many.
 */
export async function fillFleet(
  store: Store,
  { write }: Pick<Databases, 'write'>,
  { miners, nowMs }: { readonly miners: number; readonly nowMs: number },
): Promise<Fleet> {
  await store.tenants.createWorkspace({ id: 'w', name: 'W', slug: 'w' }, 1);
  const farms = [
    { id: FARM, agents: AGENTS, count: miners, prefix: 'A' },
    { id: NEIGHBOUR, agents: [NEIGHBOUR_AGENT], count: Math.ceil(miners / 10), prefix: 'B' },
  ] as const;
  for (const farm of farms) {
    await store.tenants.createFarm({ id: farm.id, workspaceId: 'w', name: farm.prefix }, 1);
    for (const id of farm.agents) {
      await store.agents.createCode({ hash: id, farmId: farm.id, nowMs: 1, expiresAtMs: 2 });
      await store.agents.enrol(id, { id, name: 'agent', tokenHash: '', identityKey: 'k', version: '1', nowMs: 1 });
    }
    const records = Array.from({ length: farm.count }, (_, n) => fleetRecord(n, nowMs, farm.prefix));
    const ofSecond = farm.agents.length > 1 ? Math.floor(farm.count / 10) : 0;
    await report(store, { farmId: farm.id, agentId: farm.agents[0] }, records.slice(ofSecond), nowMs);
    await report(store, { farmId: farm.id, agentId: farm.agents[1] ?? '' }, records.slice(0, ofSecond), nowMs);
  }
  await write
    .updateTable('miners')
    .set((eb) => ({
      rack: sql<string>`'R-' || cast(${eb.ref('ip_num')} / 40 as text)`,
      position: sql<number>`${eb.ref('ip_num')} % 40 + 1`,
      ops_status: sql<
        string | null
      >`case ${eb.ref('row_id')} % 100 when 1 then 'maintenance' when 2 then 'retired' end`,
    }))
    .execute();
  return { farmId: FARM, neighbourFarmId: NEIGHBOUR, agentIds: AGENTS, nowMs };
}

/** In slices, from the sequence number on; gives the next one. */
export async function report(
  store: Pick<Store, 'ingest'>,
  { farmId, agentId, seq = 1 }: { readonly farmId: string; readonly agentId: string; readonly seq?: number },
  records: readonly MinerRecord[],
  nowMs: number,
): Promise<number> {
  let next = seq;
  for (let start = 0; start < records.length; start += SLICE)
    await store.ingest.storeSlice({
      agentId,
      farmId,
      epoch: `epoch of ${agentId}`,
      seq: next++,
      producedAtMs: nowMs,
      records: records.slice(start, start + SLICE),
      rejected: 0,
      nowMs,
    });
  return next;
}

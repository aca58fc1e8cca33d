// Which stored miner an agent's key without a registration means: an existing miner of the farm by valid MAC, then
// valid serial, then address; else none, and the caller makes a new one. Spec decisions, "Flags and identity". It
// writes nothing.
import type { MinerRecord } from '../../../../wire/records.ts';
import type { Db } from '../../schema.ts';
import { identityOf, KNOWN_COLUMNS, type KnownMiner, LIVE_KEY_MS } from './known-miner.ts';
import { findServedElsewhere, isSameDevice, sharesIdentity } from './rivals.ts';

/**
 * For keys without registration: the existing miner that each one continues. A miner is given away once only, and never
 * while another live key of the same agent is registered to it: two keys with the same duplicate MAC stay two miners. A
 * unit that its agent doubts gets none that the agent has under another key, dead or alive. Nor is one given away while
 * another agent serves it: then it is `shared`, the same device seen by both, or the rival of what the key becomes.
 */
export async function findAdoptable(
  db: Db,
  agent: { agentId: string; farmId: string; epoch: string; nowMs: number },
  records: readonly MinerRecord[],
): Promise<Recognised> {
  const adopted = new Map<string, KnownMiner>();
  const rivals = new Map<string, KnownMiner>();
  const shared = new Map<string, KnownMiner>();
  const recognised = { adopted, rivals, shared };
  if (records.length === 0) return recognised;
  const wanted = records.map((record) => ({ key: record.key, isDoubted: isDoubted(record), ...identityOf(record) }));
  const candidates = await findCandidates(db, agent.farmId, wanted);
  if (candidates.length === 0) return recognised;
  const elsewhere = await findServedElsewhere(db, agent, candidates);
  const { registered: own, known } = await findRegisteredElsewhere(db, agent, candidates);
  const taken = new Set([...own, ...elsewhere]);
  const criteria: readonly ((want: Want, miner: KnownMiner) => boolean)[] = [
    (want, miner) => want.mac !== '' && miner.mac === want.mac,
    (want, miner) => want.serial !== '' && miner.serial === want.serial,
    (want, miner) =>
      miner.unstable_reason === 'ip_only' && miner.ip_num === want.ipNum && !isServedElsewhere(miner, agent),
  ];
  for (const isMatch of criteria) {
    for (const want of wanted) {
      if (adopted.has(want.key)) continue;
      const best = candidates
        .filter((miner) => !taken.has(miner.row_id) && isMatch(want, miner))
        .filter((miner) => !want.isDoubted || !known.has(miner.row_id))
        .toSorted((a, b) => likeness(want, b) - likeness(want, a) || b.reported_at - a.reported_at)[0];
      if (best === undefined) continue;
      adopted.set(want.key, best);
      taken.add(best.row_id);
    }
  }
  for (const record of records) {
    if (adopted.has(record.key)) continue;
    const claimed = candidates.filter((miner) => elsewhere.has(miner.row_id) && sharesIdentity(record, miner));
    const same = claimed.find((miner) => !own.has(miner.row_id) && isSameDevice(record, miner));
    if (same !== undefined) own.add(same.row_id);
    if (same !== undefined) shared.set(record.key, same);
    else if (claimed[0] !== undefined) rivals.set(record.key, claimed[0]);
  }
  return recognised;
}

type Recognised = {
  readonly adopted: Map<string, KnownMiner>;
  readonly rivals: Map<string, KnownMiner>;
  readonly shared: Map<string, KnownMiner>;
};

type Want = ReturnType<typeof identityOf> & { readonly key: string; readonly isDoubted: boolean };

/**
 * Its agent has found another unit with the same facts: that it is not the miner which it has under another key, it
 * knows.
 */
const isDoubted = ({ mac_state, sn_state }: MinerRecord) => mac_state === 'duplicate' || sn_state === 'duplicate';

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

/** Miners that the agent has under another key: `registered` = one that lives, `known` = any of this installation. */
async function findRegisteredElsewhere(
  db: Db,
  agent: { agentId: string; epoch: string; nowMs: number },
  candidates: readonly KnownMiner[],
): Promise<{ registered: Set<number>; known: ReadonlySet<number> }> {
  const rows = await db
    .selectFrom('registrations')
    .select(['row_id', 'last_at'])
    .where('agent_id', '=', agent.agentId)
    .where(
      'row_id',
      'in',
      candidates.map(({ row_id }) => row_id),
    )
    .where('epoch', '=', agent.epoch)
    .execute();
  const live = rows.filter(({ last_at }) => last_at > agent.nowMs - LIVE_KEY_MS);
  return { registered: new Set(live.map(({ row_id }) => row_id)), known: new Set(rows.map(({ row_id }) => row_id)) };
}

// Units whose place another one has taken on the word of a person (same-chassis.ts): their agent still reports them as
// silent. Such reports change nothing. A unit that is read again is a miner of its own from then on.
import type { MinerRecord } from '../../../../wire/records.ts';
import { chunks } from '../../rows.ts';
import type { Db } from '../../schema.ts';
import type { Registered } from './known-miner.ts';

/** `found` = the registrations that are in use; those of units that are back are gone, and their keys are strangers. */
export async function setReplacedAside(
  db: Db,
  agentId: string,
  registered: ReadonlyMap<string, Registered>,
  records: ReadonlyMap<string, MinerRecord>,
): Promise<{ found: Map<string, Registered>; replaced: ReadonlyMap<string, Registered> }> {
  const found = new Map<string, Registered>();
  const replaced = new Map<string, Registered>();
  const back: string[] = [];
  for (const [key, miner] of registered) {
    if (miner.replaced_at === null) found.set(key, miner);
    else if (isReadSince(records.get(key), miner.replaced_at)) back.push(key);
    else replaced.set(key, miner);
  }
  for (const part of chunks(back))
    await db.deleteFrom('registrations').where('agent_id', '=', agentId).where('key', 'in', part).execute();
  return { found, replaced };
}

function isReadSince(record: MinerRecord | undefined, replacedAtMs: number): boolean {
  const readAt = record?.document.last_updated_at ?? null;
  return readAt !== null && record?.document.last_check_succeed === true && Date.parse(readAt) > replacedAtMs;
}

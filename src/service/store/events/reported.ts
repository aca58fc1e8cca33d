// The events that an agent reports, each with its miner: taken, held until the miner is known, or left out because
// another agent serves it.
import type { EventRecord } from '../../../wire/records.ts';
import { findRegistered } from '../miners/identity/known-miner.ts';
import { findServedElsewhere } from '../miners/identity/rivals.ts';
import type { Db } from '../schema.ts';
import type { NewEvent } from './append.ts';
import { holdEvents, mustWait } from './held.ts';

type Reporter = { readonly agentId: string; readonly farmId: string; readonly nowMs: number };

/**
 * `minerIds` = of the keys that this slice reports. What has to wait is stored apart, see held.ts; `refused` = for how
 * many there is no room to wait.
 */
export async function placeEvents(
  db: Db,
  slice: Reporter,
  records: readonly EventRecord[],
  minerIds: ReadonlyMap<string, string>,
): Promise<{ events: readonly NewEvent[]; refused: number }> {
  if (records.length === 0) return { events: [], refused: 0 };
  const keys = new Set(records.map(({ key }) => key));
  const registered = await findRegistered(db, slice.agentId, [...keys]);
  const elsewhere = await findServedElsewhere(db, slice, [...registered.values()]);
  // Events of a miner that another agent serves are taken from that agent only.
  const own = records.filter(({ key }) => !elsewhere.has(registered.get(key)?.row_id ?? -1));
  const minerOf = (key: string) => minerIds.get(key) ?? registered.get(key)?.id ?? null;
  const isEarly = (record: EventRecord) => minerOf(record.key) === null && mustWait(record);
  const refused = await holdEvents(db, slice, own.filter(isEarly));
  const events = own
    .filter((record) => !isEarly(record))
    .map(({ type, key, at, detail }) => ({
      farmId: slice.farmId,
      agentId: slice.agentId,
      minerId: minerOf(key),
      type,
      atMs: Math.min(Date.parse(at), slice.nowMs),
      detail,
    }));
  return { events, refused };
}

// What two states of a miner say about its anomaly flags: which were raised and which were cleared, each with its
// evidence. It compares what is stored with what replaces it, in the transaction that does so.
import { z } from 'zod';
import type { EventType } from '../../../model/events/event-types.ts';
import { fromBitmask } from '../../../model/flags/anomaly-types.ts';
import { type Flag, flagSchema } from '../../../model/flags/flags.ts';
import type { MinerRecord } from '../../../wire/records.ts';
import type { KnownMiner } from '../miners/identity/known-miner.ts';
import { chunks } from '../rows.ts';
import type { Db } from '../schema.ts';
import type { NewEvent } from './append.ts';

/** `mask` = the bits of the interface; `flags` = the evidence, as far as it is known. */
export type FlagState = { readonly mask: number; readonly flags: readonly Flag[] };

type FlagChange = Pick<NewEvent, 'type' | 'detail'>;

/** First what was cleared, then what was raised, each in the order of the bits. */
export function flagChanges(before: FlagState, after: FlagState): FlagChange[] {
  const change = (type: EventType, { flags }: FlagState, mask: number) =>
    fromBitmask(mask).map((flag) => ({ type, detail: describe(flag, flags) }));
  return [
    ...change('flag_cleared', before, before.mask & ~after.mask),
    ...change('flag_raised', after, after.mask & ~before.mask),
  ];
}

function describe(flag: Flag['type'], flags: readonly Flag[]) {
  const { type, ...evidence } = flags.find((one) => one.type === flag) ?? { type: flag };
  return { flag: type, ...evidence };
}

/** A state that replaces another one. `records` = all that the slice has of the miner, in their order. */
type Replaced = {
  readonly id: string;
  readonly known: KnownMiner | undefined;
  readonly records: readonly MinerRecord[];
};

/** Reads the evidence of flags that are no longer set, and only that: most reports change no flag. */
export async function flagEvents(
  db: Db,
  { agentId, farmId, nowMs }: { agentId: string; farmId: string; nowMs: number },
  replaced: readonly Replaced[],
): Promise<NewEvent[]> {
  const changed = replaced.filter(({ known, records }) =>
    records.some(({ document }) => document.anomaly_flags !== (known?.anomaly_flags ?? 0)),
  );
  if (changed.length === 0) return [];
  const flagged = changed.flatMap(({ known }) =>
    known !== undefined && known.anomaly_flags !== 0 ? [known.row_id] : [],
  );
  const stored = await readStoredFlags(db, flagged);
  return changed.flatMap(({ id, known, records }) => {
    let before: FlagState = { mask: known?.anomaly_flags ?? 0, flags: stored.get(known?.row_id ?? -1) ?? [] };
    return records.flatMap(({ document, extras, at }) => {
      const after = { mask: document.anomaly_flags, flags: extras.flags };
      const changes = flagChanges(before, after);
      before = after;
      const atMs = Math.min(Date.parse(at), nowMs);
      return changes.map((change) => ({ farmId, agentId, minerId: id, atMs, ...change }));
    });
  });
}

const storedFlagsSchema = z.object({ flags: z.array(flagSchema) });

export async function readStoredFlags(db: Db, rowIds: readonly number[]): Promise<Map<number, readonly Flag[]>> {
  const found = new Map<number, readonly Flag[]>();
  for (const part of chunks(rowIds)) {
    const rows = await db
      .selectFrom('miner_documents')
      .select(['row_id', 'extras'])
      .where('row_id', 'in', part)
      .execute();
    for (const { row_id, extras } of rows)
      found.set(row_id, storedFlagsSchema.safeParse(JSON.parse(extras)).data?.flags ?? []);
  }
  return found;
}

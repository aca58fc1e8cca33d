// Which miners are missing: their agent has asked them in vain for an hour. By what is stored and reported, not by the
// clock: while the agent is silent no miner becomes missing.
import { MISSING_MS } from '../../../../model/board/board-miner.ts';
import { OFFLINE_SOURCE } from '../../../../model/document.ts';
import type { EventType } from '../../../../model/events/event-types.ts';
import type { MinerRecord } from '../../../../wire/records.ts';
import type { NewEvent } from '../../events/append.ts';
import type { KnownMiner } from '../identity/known-miner.ts';

type Seen = {
  readonly known: Pick<KnownMiner, 'missing_since'> | undefined;
  readonly record: MinerRecord;
  readonly reportedAtMs: number;
  readonly seenAtMs: number | null;
};

/**
 * Null = it is not missing. A miner that answers and cannot be read does not become missing; one that is missing is so
 * until it has been read.
 */
export function missingSince({ known, record, reportedAtMs, seenAtMs }: Seen): number | null {
  if (seenAtMs === null || reportedAtMs - seenAtMs < MISSING_MS) return null;
  if (known !== undefined && known.missing_since !== null) return known.missing_since;
  const isSilent = record.extras.flags.some(({ source }) => source === OFFLINE_SOURCE);
  return isSilent ? seenAtMs : null;
}

type Change = Seen & { readonly id: string; readonly missingSinceMs: number | null };

/** Of miners that are missing now and were not before, or are back. */
export function missingEvents(
  { agentId, farmId }: { readonly agentId: string; readonly farmId: string },
  changes: readonly Change[],
): NewEvent[] {
  return changes.flatMap(({ id, known, record, reportedAtMs, missingSinceMs }) => {
    const beforeMs = known?.missing_since ?? null;
    if ((beforeMs === null) === (missingSinceMs === null)) return [];
    const type: EventType = beforeMs === null ? 'miner_missing' : 'miner_back';
    const since = new Date(beforeMs ?? missingSinceMs ?? 0).toISOString();
    const detail = { since, ip: record.document.ip };
    return [{ farmId, agentId, minerId: id, type, atMs: reportedAtMs, detail }];
  });
}

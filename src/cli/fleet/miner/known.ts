// What is kept of one miner: its row, and from the service its document with the evidence of flags, its notes and since
// when it is known.
import type { z } from 'zod';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { answerOf } from '../../../wire/api/envelope.ts';
import { oneMinerSchema } from '../../../wire/api/farm/memory.ts';
import type { ServiceClient } from '../../connection/service-client.ts';
import { minerJson } from '../row/json.ts';
import { askDay, type Hour } from './day.ts';

export type Detail = z.infer<typeof oneMinerSchema>;

export type Known = {
  readonly miner: BoardMiner;
  /** Undefined where the service runs elsewhere. */
  readonly detail: Detail | undefined;
  /** The last 24, where the service keeps them. */
  readonly hours: readonly Hour[];
};

export async function askKnown(service: ServiceClient | undefined, miner: BoardMiner, nowMs: number): Promise<Known> {
  if (service === undefined) return { miner, detail: undefined, hours: [] };
  const hours = askDay(service, miner.id, nowMs);
  const { data } = await service.ask(answerOf(oneMinerSchema.loose()), { method: 'GET', path: `/miners/${miner.id}` });
  return { miner, detail: data, hours: await hours };
}

/** Null = not known here, because the service runs elsewhere. */
export const knownJson = ({ miner, detail, hours }: Known) => ({
  miner: minerJson(miner),
  flags: detail?.flags ?? null,
  first_seen: detail?.first_seen ?? null,
  missing_since: detail?.missing_since ?? null,
  notes: detail?.notes.map(({ at, text, actor }) => ({ at, text, by: actor.name })) ?? null,
  hours: detail === undefined ? null : hours,
  document: detail ?? null,
});

// What lists and sheets say of one miner in words. Pure.

import type { AnomalyType } from '../flags/anomaly-types.ts';
import { plainText } from '../plain-text.ts';
import { type BoardMiner, flagsOf, isInState } from './board-miner.ts';

/** Of a model, a message; everything else is shorter. */
const MAX_TEXT = 4_096;

/** `Antminer S19 Pro`, but not `Avalon Avalon 1246`; null where neither is known. */
export function modelText({ make, model }: Pick<BoardMiner, 'make' | 'model'>): string | null {
  const text = make === null || model?.startsWith(make) ? model : `${make} ${model ?? ''}`;
  return plainText(text, MAX_TEXT) ?? null;
}

/** Since when something is so: `07:58` of today, else with the day. */
export type SinceText = (atMs: number) => string;

/** For people: the worst flag with its text, else why it does not hash, else that it does. */
export function stateText(miner: BoardMiner, nowMs: number, since: SinceText): string {
  const { isUnknown, seenAtMs, opsStatus } = miner;
  if (isUnknown) return `unknown${seenAtMs === null ? '' : ` since ${since(seenAtMs)}`}: its agent is silent`;
  const parts = [...(opsStatus === null ? [] : [opsStatus.replaceAll('_', ' ')]), conditionText(miner, nowMs, since)];
  return parts.filter(Boolean).join('; ');
}

function conditionText(miner: BoardMiner, nowMs: number, since: SinceText): string {
  const { firstFlag, isOnline, isHung, isMining, seenAtMs } = miner;
  if (firstFlag !== null) {
    const others = flagsOf(miner).filter((type) => type !== firstFlag.type);
    const more = others.length === 0 ? '' : `; also ${others.map(flagWord).join(', ')}`;
    return `${plainText(firstFlag.message, MAX_TEXT) ?? '–'}, since ${since(firstFlag.sinceMs)}${more}`;
  }
  const flags = flagsOf(miner).map(flagWord).join(', ');
  if (flags !== '') return flags;
  const seen = seenAtMs === null ? '' : ` since ${since(seenAtMs)}`;
  if (isHung) return `hung${seen}`;
  if (isInState(miner, 'missing', nowMs)) return `missing${seen}`;
  if (!isOnline) return `silent${seen}`;
  if (isInState(miner, 'asleep', nowMs)) return 'asleep';
  return isMining ? 'mining' : 'not mining';
}

export const flagWord = (type: AnomalyType): string => type.replaceAll('_', ' ');

// What the next shift takes over beside the changes of a span: flags that were raised before it and are set now, and
// miners that were missing before it and are so now. Pure; what the changes of the span show is not shown again.

import { OFFLINE_SOURCE } from '../document.ts';
import type { AnomalyType } from '../flags/anomaly-types.ts';
import { type Flag, worstFirst } from '../flags/flags.ts';
import type { Change } from './change-kinds.ts';
import { textOf } from './change-texts.ts';

/** A miner as it is now. */
export type TroubledMiner = {
  readonly id: string;
  readonly agentId: string | null;
  readonly flags: readonly AnomalyType[];
  /** Of those flags of which it is known. */
  readonly evidence: readonly Flag[];
  readonly missingSinceMs: number | null;
};

type Span = {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly changes: readonly Change[];
};

/** The worst first, the oldest first among those that are as bad. */
export function inheritedChanges(miners: readonly TroubledMiner[], { sinceMs, untilMs, changes }: Span): Change[] {
  const shown = new Set(changes.map(keyOf));
  const isNew = (change: Change) => change.atMs < untilMs && !shown.has(keyOf(change));
  const missing = miners.flatMap((miner) => missingOf(miner)).filter(isNew);
  const flags = miners.flatMap((miner) => flagsOf(miner, sinceMs)).filter(({ change }) => isNew(change));
  return [
    ...flags.toSorted((a, b) => worstFirst(a.flag, b.flag)).map(({ change }) => change),
    ...missing.toSorted((a, b) => a.atMs - b.atMs),
  ];
}

/** One key for what was raised in the span and is set, and for the same as a thing that was there before. */
function keyOf({ kind, minerId, evidence }: Change): string {
  const name = kind === 'still_open' ? 'open' : kind === 'still_missing' ? 'missing' : kind;
  return `${name} ${minerId} ${name === 'open' ? String(evidence.flag) : ''}`;
}

const BY_NONE = { endMs: null, by: null, unsuccessful: [], events: 0 } as const;

function missingOf({ id, agentId, missingSinceMs }: TroubledMiner): Change[] {
  if (missingSinceMs === null) return [];
  const evidence = { since: new Date(missingSinceMs).toISOString() };
  const text = textOf('still_missing', { type: 'miner_missing', detail: evidence });
  return [{ kind: 'still_missing', atMs: missingSinceMs, minerId: id, agentId, text, evidence, ...BY_NONE }];
}

/** A flag without evidence is at least as old as the span. That a missing miner does not answer is said once. */
function flagsOf({ id, agentId, flags, evidence, missingSinceMs }: TroubledMiner, sinceMs: number) {
  return flags.flatMap((type) => {
    const known = evidence.find((flag) => flag.type === type);
    if (known?.source === OFFLINE_SOURCE && missingSinceMs !== null) return [];
    const { since = new Date(sinceMs).toISOString(), severity = 'info' } = known ?? {};
    const { type: _, ...rest } = known ?? { type };
    const detail = { flag: type, ...rest };
    const text = textOf('still_open', { type: 'flag_raised', detail });
    const of = { kind: 'still_open', atMs: Date.parse(since), minerId: id, agentId } as const;
    const change: Change = { ...of, text, evidence: detail, ...BY_NONE };
    return [{ flag: { severity, since }, change }];
  });
}

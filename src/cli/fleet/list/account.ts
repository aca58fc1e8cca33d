// The last line of a list: how many miners, and what they suffer from. A miner counts for each of its flags.

import { type BoardMiner, flagsOf, isInState } from '../../../model/board/board-miner.ts';
import { flagWord } from '../../../model/board/miner-words.ts';
import { ANOMALY_TYPES } from '../../../model/flags/anomaly-types.ts';

/** `37 of 500 miners: 14 hashboard, 6 fan`. */
export function accountLine(miners: readonly BoardMiner[], total: number | undefined): string {
  const of = total === undefined || total === miners.length ? '' : ` of ${total}`;
  const noun = (total ?? miners.length) === 1 ? 'miner' : 'miners';
  const kinds = kindsOf(miners);
  return `${miners.length}${of} ${noun}${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`}`;
}

function kindsOf(miners: readonly BoardMiner[]): string[] {
  const counts = new Map<string, number>();
  const add = (word: string) => counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const miner of miners) {
    if (miner.isUnknown) add('unknown');
    else if (miner.opsStatus !== null) add(miner.opsStatus.replaceAll('_', ' '));
    else if (miner.flags !== 0) for (const flag of flagsOf(miner)) add(flagWord(flag));
    else if (isInState(miner, 'silent', 0)) add('silent');
  }
  const ranks = [...ANOMALY_TYPES.map(flagWord), ''];
  const rank = (word: string) => ranks.indexOf(ranks.includes(word) ? word : '');
  return [...counts]
    .toSorted(([a, most], [b, fewer]) => fewer - most || rank(a) - rank(b))
    .map(([word, count]) => `${count} ${word}`);
}

// Which of the fan slots that a Bitmain controller lists are fans (atlas 3.3).
import type * as kit from '../../src/driver/kit/index.ts';
import type { Stats } from './bitmain.ts';

/**
 * The fans that exist. Controllers have up to 8 slots, and small machines use odd ones (3 and 6 of the S9): turning
 * fans are real, and of the others as many as the machine has fans in all (0 = not known, or liquid). `index` is the
 * rank among them.
 */
export function toFans(slots: readonly (number | undefined)[], wanted: number): kit.FanDraft[] {
  const turning = slots.flatMap((rpm, slot) => (rpm !== undefined && rpm > 0 ? [slot] : []));
  const usual = wanted === 2 && slots.length > 4 ? pairOf(slots.length) : slots.map((_, slot) => slot);
  const others = usual.filter((slot) => !turning.includes(slot)).slice(0, Math.max(0, wanted - turning.length));
  return [...turning, ...others].toSorted((a, b) => a - b).map((slot, index) => ({ index, rpm: slots[slot] }));
}

/** Where two fans sit: slots 3 and 6 of the 8 of an S9, the last of the 6 of an E3. */
const pairOf = (slots: number) => (slots === 6 ? [4, 5] : [2, 5]);

/** Those of a control board that lists its slots; undefined where it lists none. */
export function fansOf(stats: Stats, { cooling, fans }: kit.Expectation = {}): kit.FanDraft[] | undefined {
  if (stats.fanSlots.length === 0) return undefined;
  return toFans(stats.fanSlots, cooling === 'liquid' ? 0 : (fansBuiltIn(stats, fans) ?? fans ?? 0));
}

/**
 * How many fans the machine says that it was built with (`fan_num`), where that beats the `table`. Old builds count the
 * fans that turn: a count below the table's, or beside none, is the build where the controller lists no more slots, or
 * where it is of whole pairs while the machine hashes, which it stops doing without its fans. The S7 counts its plugs,
 * of which it has six for its two fans: none that lists more slots has more than four.
 */
export function fansBuiltIn({ fanCount, fanSlots, isHashing }: Stats, table: number | undefined): number | undefined {
  if (fanCount === undefined || fanSlots.length === fanCount) return fanCount;
  if (fanCount > 4) return undefined;
  if (table !== undefined && fanCount >= table) return fanCount;
  return fanCount % 2 === 0 && isHashing === true && fanSlots.length !== table ? fanCount : undefined;
}

// Whether what was measured with something and without it differs by more than chance.

/** Two windows of measured times. */
export type Pair = Readonly<Record<'with' | 'without', readonly number[]>>;

/** One in so many: what chance alone makes is said to be no more than that. */
const LUCK = 20;

export const quantile = (values: readonly number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * q)] ?? Number.NaN;

/**
 * A quantile of all windows with it by that of all windows without. Where it makes that `most` times larger at the
 * most, chance can still give a larger ratio, up to `byChance`: take `most` out of it, and the two windows
 * of each pair can be exchanged; of all ways to exchange them 19 of 20 stay below. It tries every way: take five to
 * ten pairs.
 */
export function compare(pairs: readonly Pair[], q: number, most: number) {
  const ratioOf = (way: number, scale: number) => {
    const isSwapped = (n: number) => Math.floor(way / 2 ** n) % 2 === 1;
    const scaled = pairs.map((pair) => ({ without: pair.without, with: pair.with.map((ms) => ms / scale) }));
    const withMs = quantile(
      scaled.flatMap((pair, n) => (isSwapped(n) ? pair.without : pair.with)),
      q,
    );
    const withoutMs = quantile(
      scaled.flatMap((pair, n) => (isSwapped(n) ? pair.with : pair.without)),
      q,
    );
    return { withMs, withoutMs, ratio: withMs / withoutMs };
  };
  const ways = Array.from({ length: 2 ** pairs.length }, (_, way) => ratioOf(way, most).ratio);
  const ofMost = ways.toSorted((a, b) => a - b)[Math.ceil(ways.length * (1 - 1 / LUCK)) - 1] ?? Number.NaN;
  return { ...ratioOf(0, 1), byChance: most * ofMost };
}

// The order in which a scan walks its addresses: known ones first, then all ranges in turn, each shuffled over its
// subnets. Lazy: it holds a few numbers per range, never a list of addresses.
import { holdsAddress, type Span } from '../../base/net/intervals.ts';
import type { NamedRange } from '../../base/net/ranges.ts';

export type ScanAddress = { readonly address: number; readonly range: NamedRange };

/** Badly approximable fractions: steps of such a length spread any run of probes evenly over the subnets of a range. */
const STRIDES = [(Math.sqrt(5) - 1) / 2, Math.sqrt(2) - 1, (Math.sqrt(3) - 1) / 2] as const;

/**
 * Every address of the ranges exactly once. `known` addresses that are in the ranges come first, in their own order;
 * then one address of each range in turn, so that a large range cannot starve a small one. `random` (in [0, 1)) picks
 * the permutation of each range.
 */
export function* orderAddresses(
  ranges: readonly NamedRange[],
  known: ReadonlySet<number>,
  random: () => number,
): Generator<ScanAddress, void, undefined> {
  for (const address of known) {
    const range = ranges.find(({ spans }) => holdsAddress(spans, address));
    if (range !== undefined) yield { address, range };
  }
  const walks = ranges.map((range) => ({ range, addresses: shuffled(range.spans, random) }));
  for (let turn = 0; walks.length > 0; ) {
    if (turn >= walks.length) turn = 0;
    const walk = walks[turn];
    if (walk === undefined) return;
    let next = walk.addresses.next();
    while (!next.done && known.has(next.value)) next = walk.addresses.next();
    if (next.done) {
      walks.splice(turn, 1);
      continue;
    }
    yield { address: next.value, range: walk.range };
    turn++;
  }
}

function* shuffled(spans: readonly Span[], random: () => number): Generator<number, void, undefined> {
  const starts: number[] = [];
  let size = 0;
  for (const span of spans) {
    starts.push(size);
    size += span.last - span.first + 1;
  }
  const fraction = STRIDES[Math.floor(random() * STRIDES.length)] ?? STRIDES[0];
  const stride = coprimeNear(Math.round(size * fraction), size);
  let index = Math.floor(random() * size);
  for (let done = 0; done < size; done++) {
    yield addressAt(spans, starts, index);
    index = (index + stride) % size;
  }
}

function addressAt(spans: readonly Span[], starts: readonly number[], index: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return (spans[low]?.first ?? 0) + index - (starts[low] ?? 0);
}

function coprimeNear(wanted: number, size: number): number {
  for (let distance = 0; distance < size; distance++) {
    for (const candidate of [wanted + distance, wanted - distance]) {
      if (candidate >= 1 && gcd(candidate, size) === 1) return candidate;
    }
  }
  return 1;
}

function gcd(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

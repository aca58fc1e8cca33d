// Sets of addresses as sorted, disjoint, inclusive intervals of unsigned 32-bit numbers. It never lists single
// addresses.
import { formatIpv4 } from './ipv4.ts';

export type Span = { readonly first: number; readonly last: number };

/** An address of this host, and the network in which it has it. */
export type Link = Span & { readonly address: string };

export const addressesOf = (links: readonly Link[]): string[] => links.map(({ address }) => address);

/** Sorted and disjoint; neighbours that touch become one. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: { first: number; last: number }[] = [];
  for (const span of spans.toSorted((a, b) => a.first - b.first)) {
    const previous = merged.at(-1);
    if (previous !== undefined && span.first <= previous.last + 1) previous.last = Math.max(previous.last, span.last);
    else merged.push({ first: span.first, last: span.last });
  }
  return merged;
}

/** What of `from` is not in `removed`; both sorted and disjoint. */
export function subtractSpans(from: readonly Span[], removed: readonly Span[]): Span[] {
  const rest: Span[] = [];
  let next = 0;
  for (const span of from) {
    let first = span.first;
    while (next < removed.length && (removed[next]?.last ?? 0) < first) next++;
    for (let i = next; first <= span.last; i++) {
      const hole = removed[i];
      if (hole === undefined || hole.first > span.last) {
        rest.push({ first, last: span.last });
        break;
      }
      if (hole.first > first) rest.push({ first, last: hole.first - 1 });
      first = hole.last + 1;
    }
  }
  return rest;
}

/** The part of `from` that is also in `wanted`; both sorted and disjoint. */
export const intersectSpans = (from: readonly Span[], wanted: readonly Span[]): Span[] =>
  subtractSpans(from, subtractSpans(from, wanted));

/** Whether one of the sorted, disjoint spans holds the address. */
export function holdsAddress(spans: readonly Span[], address: number): boolean {
  let low = 0;
  let high = spans.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = spans[middle];
    if (span === undefined || address < span.first) high = middle - 1;
    else if (address > span.last) low = middle + 1;
    else return true;
  }
  return false;
}

/** How many addresses disjoint spans hold. */
export function countAddresses(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + span.last - span.first + 1, 0);
}

export const formatSpan = ({ first, last }: Span): string =>
  first === last ? formatIpv4(first) : `${formatIpv4(first)} to ${formatIpv4(last)}`;

// Sets of addresses as sorted, disjoint, inclusive spans of unsigned 32-bit numbers. It never lists addresses one by one.

export type Span = { readonly first: number; readonly last: number };

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

/** How many addresses disjoint spans hold. */
export function countAddresses(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + span.last - span.first + 1, 0);
}

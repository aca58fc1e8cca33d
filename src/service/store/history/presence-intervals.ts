// For which minutes a miner has been accounted for, as a short list of spans: a miner that reports without a break is
// one span, however long. This is what makes history exact: a minute counts once, whichever agent reports it and
// however late. It holds no values, only the spans of ten minutes in which one was known.

/** Minutes since the epoch, both ends included. Lists are sorted and neither overlap nor touch. */
export type Span = readonly [first: number, last: number];

/**
 * More spans than this in one list, and the two oldest become one. The hole between them then counts as accounted for:
 * records for it that arrive that late and out of order are not counted, rather than counted twice.
 */
const MAX_SPANS = 64;

/** `first+length` in decimal, joined by commas. */
export function readSpans(text: string): Span[] {
  if (text === '') return [];
  return text.split(',').map((part): Span => {
    const [first = 0, length = 0] = part.split('+').map(Number);
    return [first, first + length];
  });
}

export const writeSpans = (spans: readonly Span[]): string =>
  spans.map(([first, last]) => `${first}+${last - first}`).join(',');

export const readLists = (text: string): Span[][] => text.split(';').map(readSpans);
export const writeLists = (lists: readonly (readonly Span[])[]): string => lists.map(writeSpans).join(';');

/** Whether any minute of the span is in the list. */
export const touches = (spans: readonly Span[], [first, last]: Span): boolean =>
  spans.some((span) => span[0] <= last && first <= span[1]);

/** The parts of the span that are not in the list. */
export function missingFrom(spans: readonly Span[], [first, last]: Span): Span[] {
  const missing: Span[] = [];
  let next = first;
  for (const span of spans) {
    if (span[1] < next || span[0] > last) continue;
    if (span[0] > next) missing.push([next, span[0] - 1]);
    next = span[1] + 1;
  }
  if (next <= last) missing.push([next, last]);
  return missing;
}

/** What of the list is before this minute. */
export const spansBefore = (spans: readonly Span[], minute: number): Span[] =>
  spans.flatMap(([first, last]): Span[] => (first < minute ? [[first, Math.min(last, minute - 1)]] : []));

export function insert(spans: readonly Span[], added: Span): Span[] {
  const merged: Span[] = [];
  let [first, last] = added;
  for (const span of spans) {
    if (span[1] < first - 1 || span[0] > last + 1) merged.push(span);
    else {
      first = Math.min(first, span[0]);
      last = Math.max(last, span[1]);
    }
  }
  merged.push([first, last]);
  merged.sort((a, b) => a[0] - b[0]);
  const [oldest, second, ...rest] = merged;
  return oldest !== undefined && second !== undefined && merged.length > MAX_SPANS
    ? [[oldest[0], second[1]], ...rest]
    : merged;
}

/** Every minute of both. */
export const union = (spans: readonly Span[], others: readonly Span[]): readonly Span[] =>
  others.reduce<readonly Span[]>(insert, spans);

/**
 * The minutes that a report of this minute newly accounts for: its own and those before it that no other report stands
 * for. `reach` is the poll interval in minutes. Polls are not exact to the minute, so a hole of up to half the reach,
 * at least one minute, between two reports is none.
 */
export function newMinutes(spans: readonly Span[], minute: number, reach: number): Span[] {
  if (touches(spans, [minute, minute])) return [];
  const missing = missingFrom(spans, [minute - reach + 1, minute]);
  const earliest = missing[0]?.[0] ?? minute;
  const before = spans.findLast((span) => span[1] < earliest)?.[1];
  const slack = Math.max(1, Math.floor(reach / 2));
  if (before === undefined || earliest - before - 1 > slack || earliest - before - 1 < 1) return missing;
  return [[before + 1, earliest - 1], ...missing];
}

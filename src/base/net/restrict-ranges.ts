// Restricts the configured ranges to the part that a request names: narrower is allowed, wider is refused. Pure.
import { countAddresses, formatSpan, intersectSpans, mergeSpans, type Span, subtractSpans } from './intervals.ts';
import { type Ipv4Range, parseIpv4Range } from './ipv4.ts';
import type { RangesToProbe, ScanRanges } from './ranges.ts';

/**
 * The wanted part of the configured ranges, with names and exclusions as configured; or a text that says which wanted
 * range is wrong and why. `addresses` counts each wanted address once.
 */
export function narrowRanges(
  configured: Pick<ScanRanges, 'ranges'>,
  wanted: readonly string[],
): RangesToProbe | string {
  const parsed: Ipv4Range[] = [];
  for (const text of wanted) {
    const range = parseIpv4Range(text);
    if (typeof range === 'string') return range;
    const [outside] = spansOutside(configured, [range]);
    if (outside !== undefined) {
      const beyond =
        outside.first === range.first && outside.last === range.last ? 'is' : `(${formatSpan(outside)}) is`;
      return `${range.text} ${beyond} outside the networks configured here`;
    }
    parsed.push(range);
  }
  const spans = mergeSpans(parsed);
  const part = rangesWithin(configured, spans, countAddresses(spans));
  return part.toProbe === 0 ? `${wanted.join(', ')}: every address is excluded here` : part;
}

/** What of the sorted, disjoint spans lies in no configured range. */
export const spansOutside = (configured: Pick<ScanRanges, 'ranges'>, spans: readonly Span[]): Span[] =>
  subtractSpans(spans, mergeSpans(configured.ranges.map(({ range }) => range)));

/** The configured ranges as far as they lie in the spans; `addresses` = how many were asked for. */
export function rangesWithin(
  configured: Pick<ScanRanges, 'ranges'>,
  spans: readonly Span[],
  addresses: number,
): RangesToProbe {
  const ranges = configured.ranges.flatMap((named) => {
    const both = intersectSpans(named.spans, spans);
    return both.length === 0 ? [] : [{ ...named, spans: both }];
  });
  const toProbe = ranges.reduce((sum, range) => sum + countAddresses(range.spans), 0);
  return { ranges, addresses, excluded: addresses - toProbe, toProbe };
}

// A part of the configured ranges that somebody from outside asks for: narrower is fine, wider is refused. Pure.

import type { ScanPlan } from '../../agent/scan/plan.ts';
import { formatIpv4, type Ipv4Range, parseIpv4Range } from './ipv4.ts';
import { countAddresses, mergeSpans, type Span, subtractSpans } from './intervals.ts';
import type { ScanRanges } from './ranges.ts';

/**
 * What of the configured ranges lies in those that are wanted, names and exclusions as configured; or, in words, which range is wrong and why.
 * `addresses` counts the wanted ones, each once.
 */
export function narrowRanges(
  configured: Pick<ScanRanges, 'ranges'>,
  wanted: readonly string[],
): ScanPlan['ranges'] | string {
  const reach = mergeSpans(configured.ranges.map(({ range }) => range));
  const parsed: Ipv4Range[] = [];
  for (const text of wanted) {
    const range = parseIpv4Range(text);
    if (typeof range === 'string') return range;
    const [outside] = subtractSpans([range], reach);
    if (outside !== undefined) {
      const beyond = outside.first === range.first && outside.last === range.last ? 'is' : `(${words(outside)}) is`;
      return `${range.text} ${beyond} outside the networks configured here`;
    }
    parsed.push(range);
  }
  const spans = mergeSpans(parsed);
  const ranges = configured.ranges.flatMap((named) => {
    const left = intersect(named.spans, spans);
    return left.length === 0 ? [] : [{ ...named, spans: left }];
  });
  const addresses = countAddresses(spans);
  const toProbe = ranges.reduce((sum, range) => sum + countAddresses(range.spans), 0);
  if (toProbe === 0) return `${wanted.join(', ')}: every address is excluded here`;
  return { ranges, addresses, excluded: addresses - toProbe, toProbe };
}

const words = ({ first, last }: Span): string =>
  first === last ? formatIpv4(first) : `${formatIpv4(first)} to ${formatIpv4(last)}`;

const intersect = (spans: readonly Span[], wanted: readonly Span[]): Span[] =>
  subtractSpans(spans, subtractSpans(spans, wanted));

// From what an operator wrote to the addresses that a scan probes, with all problems at once and a text of what was
// understood. Each address belongs to one range. Which networks may be reached is decided elsewhere.
import type { Problem } from '../errors.ts';
import { countAddresses, formatSpan, holdsAddress, mergeSpans, type Span, subtractSpans } from './intervals.ts';
import { type Ipv4Range, parseIpv4, parseIpv4Range, RANGE_FORMS } from './ipv4.ts';

/** One range and the addresses to probe that belong to it (`spans`), without earlier ranges, exclusions and edges. */
export type NamedRange = { readonly name?: string; readonly range: Ipv4Range; readonly spans: readonly Span[] };

/** `addresses` = every address of the ranges once = `toProbe` + `excluded`. With problems it must not be scanned. */
export type ScanRanges = {
  readonly ranges: readonly NamedRange[];
  readonly exclusions: readonly Span[];
  readonly addresses: number;
  readonly excluded: number;
  readonly toProbe: number;
  readonly problems: readonly Problem[];
  /** What was understood, a line per range and one for the whole, to be shown before a scan starts. */
  readonly echo: readonly string[];
};

/** What is to be probed, and how many addresses that is. */
export type RangesToProbe = Pick<ScanRanges, 'ranges' | 'addresses' | 'excluded' | 'toProbe'>;

const MAX_SCAN_ADDRESSES = 262_144;
const MAX_RANGES = 4_096;
const FIRST_USABLE = 2 ** 24;
const FIRST_MULTICAST = 224 * 2 ** 24;

/**
 * Reads ranges (single, CIDR, hyphen; lists separated by commas, semicolons or blanks) and exclusions in the same
 * forms. In a CIDR of /30 or shorter the network and broadcast addresses are excluded, unless another range holds them
 * as ordinary addresses. An address of several ranges belongs to the first. `path` and `excludePath` name the fields in
 * problems.
 */
export function readRanges(
  written: readonly (string | { readonly name?: string | undefined; readonly range: string })[],
  exclude: readonly string[],
  { path = 'networks', excludePath = 'exclude' }: { readonly path?: string; readonly excludePath?: string } = {},
): ScanRanges {
  const problems: Problem[] = [];

  const parsed = written.flatMap((item, i) => {
    const { name, range } = typeof item === 'string' ? { name: undefined, range: item } : item;
    const itemPath = typeof item === 'string' ? `${path}[${i}]` : `${path}[${i}].range`;
    const label = name?.trim();
    return readList(range, itemPath, problems).map((part) => {
      refuseUnusable(part, itemPath, problems);
      return { ...(label ? { name: label } : {}), range: part };
    });
  });
  const exclusions = mergeSpans(exclude.flatMap((text, i) => readList(text, `${excludePath}[${i}]`, problems)));
  if (parsed.length > MAX_RANGES) {
    problems.push({ path, message: `holds ${count(parsed.length)} ranges; at most ${count(MAX_RANGES)} are accepted` });
  }

  let claimed: Span[] = [];
  const ranges = parsed.slice(0, MAX_RANGES).map((item): NamedRange => {
    const spans = subtractSpans(subtractSpans([withoutEdges(item.range)], exclusions), claimed);
    claimed = mergeSpans([...claimed, ...spans]);
    return { ...item, spans };
  });
  const addresses = countAddresses(mergeSpans(ranges.map(({ range }) => range)));
  const toProbe = countAddresses(claimed);
  if (toProbe > MAX_SCAN_ADDRESSES) {
    problems.push({
      path,
      message: `holds ${count(toProbe)} addresses to probe; at most ${count(MAX_SCAN_ADDRESSES)} are accepted: write narrower ranges`,
    });
  }
  const excluded = addresses - toProbe;
  return { ranges, exclusions, addresses, excluded, toProbe, problems, echo: echoOf(ranges, toProbe, excluded) };
}

/** Whether an address to probe is among the ranges; false for a text that is no address. */
export function covers({ ranges }: Pick<ScanRanges, 'ranges'>, ip: string): boolean {
  const address = parseIpv4(ip);
  return address !== undefined && ranges.some(({ spans }) => holdsAddress(spans, address));
}

function readList(text: string, path: string, problems: Problem[]): Ipv4Range[] {
  const parts = text
    .replaceAll(/\s*[-\u2010-\u2015]\s*/g, '-')
    .replaceAll(/\s*\/\s*/g, '/')
    .split(/[\s,;]+/)
    .filter((part) => part !== '');
  if (parts.length === 0) problems.push({ path, message: `is empty; write ${RANGE_FORMS}` });
  return parts.flatMap((part) => {
    const range = parseIpv4Range(part);
    if (typeof range !== 'string') return [range];
    problems.push({ path, message: range });
    return [];
  });
}

function refuseUnusable(range: Ipv4Range, path: string, problems: Problem[]): void {
  if (range.first >= FIRST_USABLE && range.last < FIRST_MULTICAST) return;
  const message = `'${range.text}' holds addresses that no miner can have (0.x.y.z, or 224.0.0.0 and above)`;
  problems.push({ path, message });
}

function withoutEdges(range: Ipv4Range): Span {
  const hasEdges = range.form === 'cidr' && range.last - range.first >= 3;
  return hasEdges ? { first: range.first + 1, last: range.last - 1 } : range;
}

/** Not with `toLocaleString`: the tables of all languages that it reads stay in memory, 10 MB. */
const count = (n: number): string => String(n).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
const countOf = (n: number): string => `${count(n)} ${n === 1 ? 'address' : 'addresses'}`;

function echoOf(ranges: readonly NamedRange[], toProbe: number, excluded: number): string[] {
  const lines = ranges.map(({ name, range, spans }) => {
    const [from, to] = [spans[0]?.first, spans.at(-1)?.last];
    const title = name === undefined ? range.text : `${name} (${range.text})`;
    if (from === undefined || to === undefined) return `${title}: nothing left to probe`;
    return `${title}: ${countOf(countAddresses(spans))}, ${formatSpan({ first: from, last: to })}`;
  });
  const leftOut = excluded === 0 ? '' : `, ${count(excluded)} excluded (named so, or network and broadcast addresses)`;
  return [...lines, `in all: ${countOf(toProbe)} to probe${leftOut}`];
}

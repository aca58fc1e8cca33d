// The head of what is shown of one miner: what is wrong and since when, with what was measured, then where it stands
// and what people wrote. Times are in the time zone of this host.
import type { Flag } from '../../../model/flags/flags.ts';
import { formatAge, formatHashrate, formatModel, formatSince, formatText, formatTime } from '../../output/format.ts';
import { factTable } from '../../output/table.ts';
import { wrapped } from '../../output/wrap.ts';
import type { Screen } from '../list/view.ts';
import { locationOf, stateText } from '../row/state.ts';
import { dayFacts } from './day.ts';
import type { Detail, Known } from './known.ts';

export function describeKnown({ miner, detail, hours }: Known, { paint, width, nowMs }: Screen): string {
  const { ip, make, model, seenAtMs, container } = miner;
  const age = seenAtMs === null ? 'never read' : formatAge(Math.max(1_000, nowMs - seenAtMs));
  const title = [locationOf(miner), ip, formatModel(make, model)].filter((part) => part !== undefined).join('  ');
  const flags = detail?.flags ?? [];
  const state =
    flags.length === 0
      ? [paint(miner.flags === 0 ? 'reset' : 'red', stateText(miner, nowMs))]
      : flags.toSorted(bySeverity).map((flag) => paint(COLOURS[flag.severity], flagLine(flag, nowMs)));
  const facts: [string, string][] = [
    ...(container === null ? [] : [fact('container', container)]),
    ...(detail === undefined ? [] : keptFacts(detail, nowMs)),
    ...dayFacts(hours),
  ];
  const lines = [
    `${paint('bold', title)}  ${age}`,
    ...state.map((line) => wrapped(line, width)),
    ...(facts.length === 0 ? [] : ['', factTable(facts, width)]),
  ];
  return `${lines.join('\n')}\n`;
}

const fact = (about: string, text: string): [string, string] => [about, text];

const SEVERITIES = ['critical', 'major', 'minor', 'info'] as const satisfies readonly Flag['severity'][];
const bySeverity = (a: Flag, b: Flag) =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || a.since.localeCompare(b.since);
const COLOURS = { critical: 'red', major: 'red', minor: 'yellow', info: 'reset' } as const;

/** `board 2: 0 of 108 chips, since 07:58 (hashboard: 0, limit 108)`. */
function flagLine({ type, message, since, value, limit, severity, source }: Flag, nowMs: number): string {
  const text = (figure: number | string) => figureText(figure, source);
  const measured = [...(value === null ? [] : [text(value)]), ...(limit === null ? [] : [`limit ${text(limit)}`])];
  const evidence = `${type.replaceAll('_', ' ')}${measured.length === 0 ? '' : `: ${measured.join(', ')}`}`;
  return `${severity === 'info' ? '·' : '✖'} ${formatText(message)}, since ${formatSince(since, nowMs)} (${evidence})`;
}

/** The name of the source ends with the unit; hashrates in H/s are too long to read. */
function figureText(value: number | string, source: string): string {
  if (typeof value === 'string') return formatText(value);
  return /^hashrate(Settled)?Hs$/.test(source) ? formatHashrate(value) : String(Number(value.toPrecision(6)));
}

function keptFacts({ first_seen, missing_since, ops_status, notes }: Detail, nowMs: number): [string, string][] {
  return [
    ...(ops_status === null ? [] : [fact('ops status', ops_status.replaceAll('_', ' '))]),
    fact('first seen', formatTime(first_seen).slice(0, 16)),
    ...(missing_since === null ? [] : [fact('missing since', formatSince(missing_since, nowMs))]),
    ...notes.map(({ at, text, actor }) =>
      fact(`note ${formatSince(at, nowMs)}`, `${formatText(actor.name)}: ${formatText(text)}`),
    ),
  ];
}

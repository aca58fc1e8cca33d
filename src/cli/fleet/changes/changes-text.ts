// A summary of changes as a page for people: a title, a part for each kind, and what did not happen in one line. Times
// are in the time zone of this host.
import type { z } from 'zod';
import type { ChangeKind } from '../../../model/changes/change-kinds.ts';
import type { changesSchema } from '../../../wire/api/farm/memory.ts';
import { formatText, formatTime } from '../../output/format.ts';
import { type Column, table } from '../../output/table.ts';
import type { Paint } from '../../output/terminal.ts';
import { wrapped } from '../../output/wrap.ts';
import { locationOf } from '../row/state.ts';

export type Changes = z.infer<typeof changesSchema>;
type Change = Changes['changes'][number];
type NamedMiner = NonNullable<Change['miner']>;

/** In the order of the page. */
const TITLES: Readonly<Record<ChangeKind, string>> = {
  open: 'raised and still open',
  still_open: 'raised before and still open',
  healed: 'raised and healed',
  ended: 'raised before and healed',
  missing: 'missing',
  still_missing: 'missing since before',
  back: 'back',
  appeared: 'new',
  moved: 'moved',
  replaced: 'replaced',
  location: 'locations',
  ops_status: 'ops status',
  note: 'notes',
  task: 'tasks',
  agent: 'agents and common causes',
  other: 'other',
};

/** Of what was there before: which of them are shown where not all are, and what lists all. */
const INHERITED: ReadonlyMap<string, { readonly first: string; readonly command: string }> = new Map([
  ['still_open', { first: 'the worst', command: 'pithead miners --ill' }],
  ['still_missing', { first: 'the oldest', command: 'pithead miners --missing' }],
] satisfies [ChangeKind, object][]);
/** Of each kind of what was there before; as many as fit on a page of paper, and never less than the least. */
const MOST_INHERITED = 50;
const LEAST_INHERITED = 5;

export type Page = { readonly farm: string; readonly paint: Paint; readonly width: number | undefined };

/** `lines` = of a page: of what was there before, only as much is shown as fits. */
export function changesText(summary: Changes, { lines, ...page }: Page & { readonly lines?: number }): string {
  for (let most = MOST_INHERITED; ; most--) {
    const text = textWith(summary, page, most);
    if (lines === undefined || most <= LEAST_INHERITED || text.split('\n').length - 1 <= lines) return text;
  }
}

function textWith(summary: Changes, { farm, paint, width }: Page, mostInherited: number): string {
  const { from, to, flags_raised, flags_cleared, events_left_out, miners_left_out, changes, kinds } = summary;
  const isOneDay = formatTime(from).slice(0, 10) === formatTime(to).slice(0, 10);
  const timeOf = (at: string) => formatTime(at).slice(isOneDay ? 11 : 5, 16);
  const filled: string[] = [];
  const empty: string[] = [];
  for (const [kind, title] of Object.entries(TITLES)) {
    const all = changes.filter((change) => change.kind === kind);
    const { first, command } = INHERITED.get(kind) ?? { first: 'the newest', command: undefined };
    const shown = command === undefined ? all : all.slice(0, mostInherited);
    const count = all.length + leftOutOf(kinds, kind);
    const more = command === undefined ? '' : `; all: ${command}`;
    const counted = shown.length === count ? String(count) : `${first} ${shown.length} of ${count}${more}`;
    const time = command === undefined ? timeOf : dayAndTime;
    if (all.length === 0) empty.push(title);
    else filled.push(section(`${title.toUpperCase()} (${counted})`, shown, { timeOf: time, paint, width }));
  }
  const lines = [
    paint('bold', `Changes of ${formatText(farm)}`),
    `${formatTime(from).slice(0, 16)} to ${formatTime(to).slice(0, 16)}, ${zoneText(from)}`,
    `${flags_raised} flags raised, ${flags_cleared} cleared`,
    ...(events_left_out > 0 ? [`${events_left_out} older events were too many and are not counted`] : []),
    ...(miners_left_out > 0 ? [`${miners_left_out} miners with a flag were too many to look at`] : []),
    ...filled.flatMap((text) => ['', text]),
    ...(empty.length === 0 ? [] : ['', ...fitted(`Nothing: ${empty.join(', ')}`, width)]),
    ...(changes.some(({ by }) => by?.via !== undefined)
      ? ['', ...fitted(`${ON_HOST.trim()} = ${WHAT_ON_HOST}`, width)]
      : []),
  ];
  return `${lines.join('\n')}\n`;
}

const dayAndTime = (at: string) => formatTime(at).slice(5, 16);

const fitted = (text: string, width: number | undefined): string[] => wrapped(text, width).split('\n');

const ON_HOST = ' (host)';
const WHAT_ON_HOST = 'a user of the host of the agent, by the name of the system';

const leftOutOf = (kinds: Changes['kinds'], wanted: string): number =>
  kinds.find(({ kind }) => kind === wanted)?.left_out ?? 0;

type SectionPage = Omit<Page, 'farm'> & { readonly timeOf: (at: string) => string };

function section(heading: string, changes: readonly Change[], page: SectionPage): string {
  const { timeOf, paint, width } = page;
  const lines = changes.flatMap((change) => linesOf(change, timeOf));
  const names = ['when', 'location', 'ip', 'text', 'by'] as const;
  const columns = names
    .filter((name) => lines.some((line) => line[name] !== ''))
    .map(
      (name): Column<Line> => ({ title: '', text: (line) => line[name], ...(name !== 'text' && { isWhole: true }) }),
    );
  return `${paint('bold', heading)}\n${table(columns, lines, { width })}`;
}

type Line = Readonly<Record<'when' | 'location' | 'ip' | 'text' | 'by', string>>;

/** One, and one for each task that did not succeed. */
function linesOf({ at, ended_at, miner, text, by, unsuccessful }: Change, timeOf: (at: string) => string): Line[] {
  const end = ended_at === null || timeOf(ended_at) === timeOf(at) ? '' : `–${timeOf(ended_at)}`;
  const line = {
    ...{ when: `${timeOf(at)}${end}`, ...whereOf(miner), text: formatText(inLocalTime(text)) },
    by: by === null ? '' : `${formatText(by.name)}${by.via === undefined ? '' : ON_HOST}`,
  };
  const failed = unsuccessful.map((task) => ({
    ...{ when: '', ...whereOf(task.miner), by: '' },
    text: `  ${task.status}${task.message === null ? '' : `: ${formatText(task.message)}`}`,
  }));
  return [line, ...failed];
}

const whereOf = (miner: NamedMiner | null) => ({
  location: miner === null ? '' : (locationOf(miner) ?? ''),
  ip: miner === null ? '' : (miner.ip ?? ''),
});

const inLocalTime = (text: string) =>
  text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) => formatTime(at).slice(0, 16));

/** `local time, UTC+05:00`. */
function zoneText(at: string): string {
  const minutes = -new Date(at).getTimezoneOffset();
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
  return `local time, UTC${minutes === 0 ? '' : offset}`;
}

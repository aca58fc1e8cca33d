// What people read before an act: how many miners of which models, where they are, who is left out and why, how long it
// takes. Pure.
import { formatDurationMs } from '../../../base/time/duration.ts';
import { formatText } from '../../output/format.ts';
import type { ActLimits, ActMiner, ActPreview, LeftOut } from '../runners/runner.ts';

/** Models, racks and addresses in one line: the others are counted. */
const MOST_NAMED = 6;
const MOST_REASONS = 12;

export const countOf = (count: number): string => `${count} miner${count === 1 ? '' : 's'}`;

/** Without line ends; each may be longer than a screen. */
export function outlookLines(preview: ActPreview, { canary }: Pick<ActLimits, 'canary'>): string[] {
  const { miners, workers } = preview;
  const where = wherePart(miners);
  const first = Math.min(canary ?? 0, miners.length);
  return [
    `${countOf(miners.length)}${whichPart(miners)}`,
    ...(where === '' ? [] : [`in ${where}`]),
    ...pacePart(preview),
    ...(miners.length === 0 ? [] : (preview.notes ?? [])),
    ...(first > 0 && first < miners.length
      ? [
          `${first === 1 ? 'one goes' : `${first} go`} first, ${miners.length - first} are held back until that is proven`,
        ]
      : []),
    ...(workers.length === 0
      ? []
      : [`workers such as ${workers.map(({ ip, user }) => `${formatText(user)} (${ip})`).join(', ')}`]),
    ...leftOutLines(preview.leftOut),
  ];
}

/** `: 40 Antminer S19 Pro, 5 Whatsminer M30S`; of one miner its address too. */
function whichPart(miners: readonly ActMiner[]): string {
  if (miners.length === 0) return '';
  const models = counted(miners.map(({ model }) => (model === null ? 'of unknown model' : formatText(model))));
  const [one] = miners;
  if (miners.length === 1 && one !== undefined) return `: ${formatText(one.model ?? 'of unknown model')} at ${one.ip}`;
  return `: ${named(models.map(({ text, count }) => `${count} ${text}`))}`;
}

/** Empty where the location of none is known. */
function wherePart(miners: readonly ActMiner[]): string {
  if (miners.every(({ rack, container }) => rack === null && container === null)) return '';
  const [one] = miners;
  if (miners.length === 1 && one !== undefined) return locationOf(one);
  const places = counted(miners.map((miner) => locationOf({ ...miner, position: null })));
  return named(places.map(({ text, count }) => `${text} (${count})`));
}

/** `container 1, rack C03, position 4`, as far as it is known. */
export function locationOf({ container, rack, position }: Pick<ActMiner, 'container' | 'rack' | 'position'>): string {
  const parts = [
    ...(container === null ? [] : [`container ${formatText(container)}`]),
    ...(rack === null ? [] : [`rack ${formatText(rack)}`]),
    ...(position === null ? [] : [`position ${position}`]),
  ];
  return parts.length === 0 ? 'no rack' : parts.join(' ');
}

function pacePart({ miners, atOnce, kw, etaS }: ActPreview): string[] {
  if (miners.length === 0) return [];
  const parts = [
    ...(atOnce !== null && atOnce < miners.length ? [`at most ${atOnce} at a time`] : []),
    ...(kw === null ? [] : [`${kw.toFixed(kw < 100 ? 1 : 0)} kW at full load`]),
    ...(etaS === null ? [] : [`about ${formatEta(etaS)}`]),
  ];
  return parts.length === 0 ? [] : [parts.join(', ')];
}

/** In whole minutes where there are many: nothing can be foreseen to the second. */
export function formatEta(seconds: number): string {
  const stepS = seconds < 90 ? 1 : seconds < 600 ? 10 : 60;
  return formatDurationMs(Math.max(1, Math.ceil(seconds / stepS) * stepS) * 1_000);
}

/** `2 left out: its driver vnish cannot do this (10.31.0.4, 10.31.0.9)`, a line for each reason. */
export const leftOutLines = (leftOut: readonly LeftOut[]): string[] => reasonLines('left out', leftOut);

export function reasonLines(what: string, miners: readonly LeftOut[]): string[] {
  const byReason = [...Map.groupBy(miners, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length);
  const lines = byReason.map(
    ([reason, some]) =>
      `${some.length} ${what}: ${formatText(reason)} (${named(some.map(({ who }) => formatText(who)).sort(inOrder))})`,
  );
  if (lines.length <= MOST_REASONS) return lines;
  const rest = byReason.slice(MOST_REASONS - 1).reduce((sum, [, { length }]) => sum + length, 0);
  return [...lines.slice(0, MOST_REASONS - 1), `${rest} ${what} for other reasons`];
}

/** What most have first. */
function counted(texts: readonly string[]) {
  const groups = [...Map.groupBy(texts, (text) => text)].map(([text, { length }]) => ({ text, count: length }));
  return groups.sort((a, b) => b.count - a.count || inOrder(a.text, b.text));
}

/** Numbers in texts by what they are worth: addresses as people list them. */
const inOrder = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

const named = (texts: readonly string[]): string =>
  texts.length <= MOST_NAMED
    ? texts.join(', ')
    : `${texts.slice(0, MOST_NAMED - 1).join(', ')} and ${texts.length - MOST_NAMED + 1} more`;

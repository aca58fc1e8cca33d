// Tables for people. On a terminal they fit its width: columns are stacked, then texts wrapped. In a pipe or a file
// nothing is cut or wrapped. Invisible characters in texts of devices are removed.
import measure from 'fast-string-truncated-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { visibleText } from '../../model/plain-text.ts';

export type Cell = string | number | null;

export type Column<T> = {
  readonly title: string;
  readonly align?: 'right';
  readonly text: (row: T) => Cell;
  /** Title of the column under whose texts this one stands where the screen is too narrow for both. */
  readonly under?: string;
  /** Its texts are wrapped only where nothing else can be: addresses and numbers. */
  readonly isWhole?: boolean;
};

export type TableOptions<T> = {
  /** Of the screen, in columns; undefined = no limit. See `screenWidth`. */
  readonly width: number | undefined;
  readonly paintHead?: (text: string) => string;
  readonly paintRow?: (row: T, text: string) => string;
};

/** Columns of the terminal that the stream writes to; undefined where it writes to a pipe or a file. */
export const screenWidth = ({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number | undefined =>
  isTTY ? columns || 80 : undefined;

const GAP = '  ';
/** Texts are not wrapped to less than this. */
const MIN_WIDTH = 8;

/** One line or more per row, a line of titles first where there are titles; no line end after the last. */
export function table<T>(columns: readonly Column<T>[], rows: readonly T[], options: TableOptions<T>): string {
  const { width = Number.POSITIVE_INFINITY, paintHead, paintRow } = options;
  const { layout, widths } = layoutFor(columns.map(toStack(rows)), width);
  const fitted = (text: string, index: number) => wrap(text, widths[index] ?? 0);
  const lineUp = (texts: readonly string[], paint?: (text: string) => string) => rowLines(texts, layout, widths, paint);
  const heads = layout.map(({ title }, index) => fitted(title, index));
  const head = heads.some((title) => title !== '') ? lineUp(heads, paintHead) : [];
  const body = rows.flatMap((row, place) => {
    const texts = layout.map((stack, index) => fitted(stack.texts[place] ?? '', index));
    return lineUp(texts, paintRow && ((text) => paintRow(row, text)));
  });
  return [...head, ...body].join('\n');
}

/** The lines of one row: its texts beside each other, each padded to the width of its column. */
function rowLines(
  texts: readonly string[],
  layout: readonly Stack[],
  widths: readonly number[],
  paint: (text: string) => string = (text) => text,
): string[] {
  const cells = texts.map((text) => text.split('\n'));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const padded = cells.map((lines, index) => {
      const text = lines[line] ?? '';
      const padding = ' '.repeat(Math.max(0, (widths[index] ?? 0) - measure(text).width));
      return layout[index]?.align === 'right' ? padding + text : text + padding;
    });
    return paint(padded.join(GAP).trimEnd());
  });
}

/** Two columns without titles: what is described, and how it is. */
export function factTable(facts: readonly (readonly [about: string, text: Cell])[], width: number | undefined): string {
  const columns: readonly Column<(typeof facts)[number]>[] = [
    { title: '', text: ([about]) => about },
    { title: '', text: ([, text]) => text },
  ];
  return table(columns, facts, { width });
}

/** The texts of one column, or of several that stand under each other. */
type Stack = {
  readonly title: string;
  readonly align: 'right' | undefined;
  readonly under: string | undefined;
  readonly isWhole: boolean;
  readonly key: string;
  readonly texts: readonly string[];
};

const toStack =
  <T>(rows: readonly T[]) =>
  ({ title, align, under, isWhole = false, text }: Column<T>): Stack => ({
    ...{ title, align, under, isWhole, key: title },
    texts: rows.map((row) => visibleText(String(text(row) ?? ''))),
  });

/**
 * The widest layout that fits: the last column is stacked first. Where none fits, the widest columns of the narrowest
 * layout shrink.
 */
function layoutFor(stacks: readonly Stack[], width: number): { layout: readonly Stack[]; widths: readonly number[] } {
  let layout = stacks;
  let widths = layout.map(widthOf);
  for (const { key, under } of stacks.toReversed()) {
    if (total(widths) <= width) break;
    if (under === undefined) continue;
    layout = stacked(layout, key, under);
    widths = layout.map(widthOf);
  }
  const mayBreak = (at: number) => !(layout[at]?.isWhole ?? false);
  const words = layout.map(longestWhole);
  const atBlanks = narrowed(widths, width, (at) => (mayBreak(at) ? Math.max(MIN_WIDTH, words[at] ?? 0) : undefined));
  const within = narrowed(atBlanks, width, (at) => (mayBreak(at) ? MIN_WIDTH : undefined));
  return { layout, widths: narrowed(within, width, () => MIN_WIDTH) };
}

function stacked(layout: readonly Stack[], key: string, host: string): readonly Stack[] {
  const lower = layout.find((stack) => stack.key === key);
  if (lower === undefined || !layout.some((stack) => stack.key === host)) return layout;
  return layout.flatMap((stack) => {
    if (stack === lower) return [];
    if (stack.key !== host) return [stack];
    const texts = stack.texts.map((text, place) => `${text}\n${lower.texts[place]}`);
    return [{ ...stack, title: `${stack.title}\n${lower.title}`, texts }];
  });
}

const total = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));

const widthOf = ({ title, texts }: Stack): number =>
  [title, ...texts].reduce(
    (widest, text) => text.split('\n').reduce((most, line) => Math.max(most, measure(line).width), widest),
    0,
  );

/** A line is not broken there. */
export const NO_BREAK = '\u00a0';

/** Of those with a blank at which no line is broken. */
const longestWhole = ({ texts }: Stack): number =>
  texts.reduce((longest, text) => {
    const words = text.split(/[ \n]/).filter((word) => word.includes(NO_BREAK));
    return words.reduce((most, word) => Math.max(most, measure(word).width), longest);
  }, 0);

/** Takes from the widest column, again and again, of those that are wider than `least` says; undefined = none. */
function narrowed(
  widths: readonly number[],
  most: number,
  least: (index: number) => number | undefined,
): readonly number[] {
  const narrow = [...widths];
  while (total(narrow) > most) {
    const wider = narrow.map((width, index) => (width > (least(index) ?? Number.POSITIVE_INFINITY) ? width : 0));
    const widest = Math.max(0, ...wider);
    if (widest === 0) break;
    narrow[wider.indexOf(widest)] = widest - 1;
  }
  return narrow;
}

const wrap = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => (measure(line).width <= width ? line : wrapAnsi(line, width, { hard: true })))
    .join('\n');

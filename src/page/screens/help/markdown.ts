// Reads the Markdown that the handbook uses: headings, paragraphs, lists, tables, code, links, strong words. What it
// gives is data and no HTML: a mark-up of any other kind stays the text that it is.

export type Span =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly spans: readonly Span[] }
  | { readonly kind: 'link'; readonly href: string; readonly spans: readonly Span[] };
export type Spans = readonly Span[];

export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly id: string; readonly spans: Spans }
  | { readonly kind: 'paragraph'; readonly spans: Spans }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly Spans[] }
  | { readonly kind: 'table'; readonly head: readonly Spans[]; readonly rows: readonly (readonly Spans[])[] }
  | { readonly kind: 'code'; readonly text: string }
  /** A line of its own; `file` = its name in `packaging/pictures`. */
  | { readonly kind: 'picture'; readonly file: string; readonly label: string };

const FENCE = '```';
const COMMENT = /^<!--.*-->$/;
const PICTURE = /^!\[([^\]]+)\]\(\.\.\/pictures\/([a-z-]+\.png)\)$/;
const HEADING = /^(#{1,3}) +(.+)$/;
const ITEM = /^(?:-|(\d+)\.) +(.*)$/;
const ROW = /^\|(.*)\|$/;

/** What the lines from the first one on begin with, and how many lines it takes. */
type Read = { readonly block: Block | undefined; readonly count: number };

export function readMarkdown(text: string): Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const { block, count } = readBlock(lines.slice(at));
    if (block !== undefined) blocks.push(block);
    at += count;
  }
  return blocks;
}

function readBlock(lines: readonly string[]): Read {
  const [first = ''] = lines;
  if (first.trim() === '' || COMMENT.test(first)) return { block: undefined, count: 1 };
  if (first.startsWith(FENCE)) return readCode(lines);
  const [, label, file] = PICTURE.exec(first) ?? [];
  if (label !== undefined && file !== undefined) return { block: { kind: 'picture', file, label }, count: 1 };
  const [, marks, title] = HEADING.exec(first) ?? [];
  if (marks !== undefined && title !== undefined) {
    const spans = readSpans(title);
    const level = marks.length === 1 ? 1 : marks.length === 2 ? 2 : 3;
    return { block: { kind: 'heading', level, id: idOf(plainText(spans)), spans }, count: 1 };
  }
  if (ROW.test(first)) return readTable(lines);
  return ITEM.test(first) ? readList(lines) : readParagraph(lines);
}

/** Code that nothing ends goes on to the end of the text. */
function readCode(lines: readonly string[]): Read {
  const end = lines.indexOf(FENCE, 1);
  const inside = lines.slice(1, end === -1 ? undefined : end);
  return { block: { kind: 'code', text: inside.join('\n') }, count: end === -1 ? lines.length : end + 1 };
}

/** How many of the lines come before the first that ends it. The first line belongs to it always. */
function countUntil(lines: readonly string[], ends: (line: string) => boolean): number {
  const at = lines.findIndex((line, index) => index > 0 && ends(line));
  return at === -1 ? lines.length : at;
}

const beginsOther = (line: string): boolean =>
  line.trim() === '' || line.startsWith(FENCE) || [PICTURE, HEADING, ROW, COMMENT].some((form) => form.test(line));

function readParagraph(lines: readonly string[]): Read {
  const count = countUntil(lines, (line) => beginsOther(line) || ITEM.test(line));
  return { block: { kind: 'paragraph', spans: readSpans(joined(lines.slice(0, count))) }, count };
}

function readList(lines: readonly string[]): Read {
  const [first = ''] = lines;
  const isOrdered = isNumbered(first);
  const count = countUntil(lines, (line) => beginsOther(line) || (ITEM.test(line) && isNumbered(line) !== isOrdered));
  const items: string[][] = [];
  for (const line of lines.slice(0, count)) {
    const text = ITEM.exec(line)?.[2];
    if (text === undefined) items.at(-1)?.push(line);
    else items.push([text]);
  }
  return { block: { kind: 'list', isOrdered, items: items.map((item) => readSpans(joined(item))) }, count };
}

const isNumbered = (line: string) => ITEM.exec(line)?.[1] !== undefined;
const joined = (lines: readonly string[]) => lines.map((line) => line.trim()).join(' ');

/** The second row draws the line below the head. */
function readTable(lines: readonly string[]): Read {
  const count = countUntil(lines, (line) => !ROW.test(line));
  const [head = [], , ...rows] = lines.slice(0, count).map(readCells);
  return { block: { kind: 'table', head, rows }, count };
}

/** A bar within code ends no cell. */
function readCells(line: string): Spans[] {
  const inside = ROW.exec(line)?.[1] ?? '';
  return (inside.match(/(?:`[^`]*`|[^|])+/g) ?? []).map((cell) => readSpans(cell.trim()));
}

const SPAN = /`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/;

export function readSpans(text: string): Span[] {
  const found = SPAN.exec(text);
  if (found === null) return text === '' ? [] : [{ kind: 'text', text }];
  const [all, code, strong, label = '', href = ''] = found;
  const before = readSpans(text.slice(0, found.index));
  const after = readSpans(text.slice(found.index + all.length));
  return [...before, spanOf({ code, strong, label, href }), ...after];
}

type Found = {
  readonly code: string | undefined;
  readonly strong: string | undefined;
  readonly label: string;
  readonly href: string;
};

function spanOf({ code, strong, label, href }: Found): Span {
  if (code !== undefined) return { kind: 'code', text: code };
  if (strong !== undefined) return { kind: 'strong', spans: readSpans(strong) };
  return { kind: 'link', href, spans: readSpans(label) };
}

export const plainText = (spans: Spans): string =>
  spans.map((span) => ('text' in span ? span.text : plainText(span.spans))).join('');

const idOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

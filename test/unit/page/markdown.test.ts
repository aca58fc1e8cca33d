// The reader of the handbook's Markdown, and that the page has every topic. It gives data: no text becomes HTML.
import { expect, test } from 'vitest';
import { listTopics, readPage } from '../../../src/cli/handbook.ts';
import { type Block, plainText, readMarkdown, readSpans, type Spans } from '../../../src/page/screens/help/markdown.ts';
import { TOPICS } from '../../../src/page/screens/help/topics.data.ts';

const text = (value: string) => ({ kind: 'text', text: value }) as const;
const code = (value: string) => ({ kind: 'code', text: value }) as const;

test('headings, paragraphs over lines, and comments that are left out', () => {
  expect(
    readMarkdown('# One title\n\n<!-- roles:begin -->\n\nA line\nand its end.\n## Two: `code`\n### Three'),
  ).toEqual([
    { kind: 'heading', level: 1, id: 'one-title', spans: [text('One title')] },
    { kind: 'paragraph', spans: [text('A line and its end.')] },
    { kind: 'heading', level: 2, id: 'two-code', spans: [text('Two: '), code('code')] },
    { kind: 'heading', level: 3, id: 'three', spans: [text('Three')] },
  ]);
});

test('pictures of the handbook stand alone in their line; of any other place they stay text', () => {
  expect(readMarkdown('Before\n![Now](../pictures/now.png)\n\n![x](https://x.example/x.png)')).toEqual([
    { kind: 'paragraph', spans: [text('Before')] },
    { kind: 'picture', file: 'now.png', label: 'Now' },
    { kind: 'paragraph', spans: [text('!'), { kind: 'link', href: 'https://x.example/x.png', spans: [text('x')] }] },
  ]);
});

test('lists with items over lines, and an ordered one after it', () => {
  expect(readMarkdown('Before:\n- one\n  goes on\n- two\n1. first\n2. second\n\nAfter')).toEqual([
    { kind: 'paragraph', spans: [text('Before:')] },
    { kind: 'list', isOrdered: false, items: [[text('one goes on')], [text('two')]] },
    { kind: 'list', isOrdered: true, items: [[text('first')], [text('second')]] },
    { kind: 'paragraph', spans: [text('After')] },
  ]);
});

test('tables with empty cells, and bars within code', () => {
  expect(readMarkdown('| a | b |\n| --- | --- |\n| `x|y` |  |\n| 1 | **2** |\nend')).toEqual([
    {
      kind: 'table',
      head: [[text('a')], [text('b')]],
      rows: [
        [[code('x|y')], []],
        [[text('1')], [{ kind: 'strong', spans: [text('2')] }]],
      ],
    },
    { kind: 'paragraph', spans: [text('end')] },
  ]);
});

test('code stays as it is, blank lines and marks included; without an end it goes on', () => {
  expect(readMarkdown('```sh\n# no heading\n\n- no item\n```\n```\nopen')).toEqual([
    { kind: 'code', text: '# no heading\n\n- no item' },
    { kind: 'code', text: 'open' },
  ]);
});

test('spans: code before all, links, strong words with code in them', () => {
  expect(readSpans('see [`a`](https://a.example/x) or **b `c`** and `**no**`')).toEqual([
    text('see '),
    { kind: 'link', href: 'https://a.example/x', spans: [code('a')] },
    text(' or '),
    { kind: 'strong', spans: [text('b '), code('c')] },
    text(' and '),
    code('**no**'),
  ]);
});

test('HTML is text, and so is a mark that nothing ends', () => {
  const hostile = '<img src=x onerror=alert(1)> **open `tick [link](';
  expect(readMarkdown(hostile)).toEqual([{ kind: 'paragraph', spans: [text(hostile)] }]);
  expect(readMarkdown('<!-- a --> <script>x</script>')).toEqual([
    { kind: 'paragraph', spans: [text('<!-- a --> <script>x</script>')] },
  ]);
});

const spansOf = (block: Block): readonly Spans[] => {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return [block.spans];
    case 'list':
      return block.items;
    case 'table':
      return [...block.head, ...block.rows.flat()];
    case 'code':
    case 'picture':
      return [];
  }
};

test('the page has every topic of the handbook', () => {
  expect([...TOPICS].toSorted()).toEqual(listTopics());
});

test.each(TOPICS)('of %s every word is read, no mark is left over, and headings have ids of their own', (topic) => {
  const page = readPage(topic);
  const blocks = readMarkdown(page);
  const shown = blocks.flatMap((block) => (block.kind === 'code' ? [block.text] : spansOf(block).map(plainText)));
  const words = (all: string) => all.match(/[\p{L}\p{N}]+/gu) ?? [];
  // Addresses of links are not shown, nor the language of code.
  const written = page.replaceAll(/\]\([^)\s]+\)/g, ']').replaceAll(/^```\w+$/gm, '```');
  const numbers = /^\d+\. /gm;
  expect(words(shown.join(' '))).toEqual(words(written.replaceAll(numbers, '')));
  const texts = blocks
    .flatMap(spansOf)
    .flatMap((spans) => spans.flatMap((span) => (span.kind === 'text' ? [span.text] : [])));
  expect(texts.filter((one) => /`|\*\*|\]\(/.test(one))).toEqual([]);
  for (const block of blocks)
    if (block.kind === 'table') for (const row of block.rows) expect(row).toHaveLength(block.head.length);
  const ids = blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : []));
  expect(ids).toEqual([...new Set(ids)]);
});

// One word has one meaning in the whole project, and it is the field's or Node's own. These words have each been
// replaced by such a word.
import { expect, test } from 'vitest';
import { codeLines, type Source, sources } from './sources.ts';

const BANNED: ReadonlySet<string> = new Set([
  ...['door', 'knock', 'lane', 'roster', 'courier', 'teller', 'standstill', 'wish', 'wishes', 'lately', 'afresh'],
  ...['brisk', 'linger', 'lingering', 'endings', 'intake', 'nobody', 'somebody', 'whoever', 'lest'],
]);
/** Names of several words. */
const BANNED_NAMES = /\b(whoStands|goesAway|goOn|tellRefused)\b/;

/** A field of `pithead status --json` and a word of a device: what is seen from outside keeps its name. */
const OUTSIDE = /\blast_standstill\b|\/intake\|inlet\//g;

/**
 * The words of an identifier or a file name: of `openDoorServer` and of `open-door.ts` alike, and of a plural its
 * singular.
 */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(OUTSIDE, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .flatMap((word) => (word.endsWith('s') ? [word, word.slice(0, -1)] : [word]));
}

/**
 * `path:line: word` of each banned word in names; what a device or a person reads stands in strings and is not looked
 * at.
 */
function bannedIn(source: Source): string[] {
  const { path } = source;
  return [path, ...codeLines(source)].flatMap((line, number) => [
    ...wordsOf(line).flatMap((word) => (BANNED.has(word) ? [`${path}:${number}: ${word}`] : [])),
    ...(BANNED_NAMES.exec(line)?.slice(0, 1) ?? []).map((name) => `${path}:${number}: ${name}`),
  ]);
}

test('no name in src, drivers and fixtures has a banned word', () => {
  expect(sources('src', 'drivers', 'fixtures').flatMap(bannedIn)).toEqual([]);
});

/** Words for a part of the program that leave open which part it is. */
const VAGUE = /\b(nobody|somebody|whoever|lest)\b/i;

test('no sentence in src leaves open who does something', () => {
  const vague = sources('src').flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (VAGUE.test(line) ? [`${path}:${index + 1}`] : [])),
  );
  expect(vague).toEqual([]);
});

test('these rules find what they look for', () => {
  const lines = ["import { openDoor } from './main.ts';", '// the door', "const goOn = 'door';", 'const plane = 1;'];
  expect(bannedIn({ path: 'src/knock-at.ts', lines, text: lines.join('\n') })).toEqual([
    'src/knock-at.ts:0: knock',
    'src/knock-at.ts:1: door',
    'src/knock-at.ts:3: goOn',
  ]);
});

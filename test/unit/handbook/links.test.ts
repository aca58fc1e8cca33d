// Every relative link and path of the documents leads to a file, and the ten questions of architecture.md lead to the
// files that hold the answers.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { HANDBOOK, ROOT } from '../../handbook/blocks.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAGES = readdirSync(join(ROOT, HANDBOOK)).map((file) => `${HANDBOOK}/${file}`);
const LINK = /\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)/g;

const DOCUMENTS = [...PAGES, 'README.md', 'drivers/README.md', 'packaging/README.md'];

test.each(DOCUMENTS)('the links of %s lead to files', (page) => {
  const targets = [...read(page).matchAll(LINK)].flatMap(([, target = '']) => (/^\w+:/.test(target) ? [] : [target]));
  expect(targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
});

/** In backticks, from the project's root; the import table names rooms, which are no paths. */
const PATH = /`((?:src|drivers|test|fixtures|packaging)\/[\w./-]+)`/g;
const ROOMS = ['drivers/data', 'drivers/index'];

test.each(DOCUMENTS)('the paths that %s names are there', (page) => {
  const paths = [...read(page).matchAll(PATH)].flatMap(([, path = '']) => (ROOMS.includes(path) ? [] : [path]));
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

const [, questions = ''] = read(`${HANDBOOK}/architecture.md`).split('## Ten questions\n');
const ANSWER = /^\| (.+\?) \| \[[^\]]*\]\(([^)]+)\) \| `([^`]+)` \|$/gm;
const answers = [...(questions.split('\n## ')[0] ?? '').matchAll(ANSWER)].map(
  ([, question = '', file = '', symbol = '']) => ({ question, file, symbol }),
);

test('there are ten questions', () => expect(answers).toHaveLength(10));

test.each(answers)('$question', ({ file, symbol }) =>
  expect(read(join(HANDBOOK, file))).toMatch(new RegExp(`(const|function|type|interface) ${symbol}\\b`)),
);

test('README.md is short', () => expect(read('README.md').split('\n').length).toBeLessThanOrEqual(121));

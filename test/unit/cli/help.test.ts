// `pithead help`: commands first, then the pages of the handbook; on a screen they fill its width, in a pipe they are
// as they are written.
import { readdirSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { fillWidth, listTopics, readPage, summaryOf } from '../../../src/cli/handbook.ts';
import { toExitCode } from '../../../src/cli/output/exit.ts';
import { buildProgram } from '../../../src/cli/program.ts';

const { stdout, stderr } = process;

/** What it prints, and the exit code. */
async function help(...words: readonly string[]) {
  const parts: string[] = [];
  const stream = Object.assign(Object.create(stdout), { isTTY: false, write: (text: string) => parts.push(text) > 0 });
  const context = { stdout: stream, stderr: stream, environment: {}, signal: new AbortController().signal };
  const program = await buildProgram(context, 'help');
  const code = await program.parseAsync(['node', 'pithead', 'help', ...words]).then(
    () => 0,
    (error: unknown) => {
      expect(error).toBeInstanceOf(CommanderError);
      return toExitCode(error, new PassThrough());
    },
  );
  return { text: parts.join(''), code };
}

test('the topics are the pages of the handbook', () => {
  const folder = new URL('../../../packaging/handbook/', import.meta.url);
  expect(listTopics()).toEqual(readdirSync(folder).map((file) => file.replace('.md', '')));
  for (const topic of listTopics()) {
    const page = readFileSync(new URL(`${topic}.md`, folder), 'utf8');
    expect(page).toMatch(/^# .+\n\n.+\n\n/);
    // One line of a screen of 80 columns.
    expect(summaryOf(page).length, topic).toBeLessThanOrEqual(62);
  }
});

test('without a word it lists commands and topics', async () => {
  const { text, code } = await help();
  expect(code).toBe(0);
  expect(text).toContain('Usage: pithead [options] [command]');
  for (const topic of listTopics()) expect(text).toContain(`\n  ${topic.padEnd(16)}${summaryOf(readPage(topic))}`);
});

test('a topic prints its page, whole', async () => {
  expect(await help('security')).toEqual({ text: readPage('security'), code: 0 });
  expect(readPage('configuration')).toContain('| `flags.pool.noShare` |');
});

test('a command wins, with what is below it', async () => {
  expect((await help('scan')).text).toContain('Usage: pithead scan');
  expect((await help('key', 'create')).text).toContain('Usage: pithead key create');
  expect((await help('enrol')).text).toContain('Usage: pithead enroll|enrol');
});

test.each([
  ['postgre', 'postgres'],
  ['scann', 'scan'],
  ['key creat', 'key create'],
])('an unknown word, %s, ends with 2 and the nearest name', async (written, meant) => {
  const { text, code } = await help(...written.split(' '));
  expect(code).toBe(2);
  expect(text).toContain(`'${written}'`);
  expect(text).toMatch(new RegExp(`Did you mean .*${meant}`));
});

test('the tab key knows the topics', async () => {
  const context = { stdout, stderr, environment: {}, signal: new AbortController().signal };
  const command = (await buildProgram(context, 'help')).commands.find((each) => each.name() === 'help');
  expect(command?.registeredArguments[0]?.argChoices).toEqual(listTopics());
});

test('on a screen paragraphs and items fill the width, all else stays', () => {
  const title = ['# A title that is longer than the screen', ''];
  const rest = [
    '',
    '```',
    'a command that is longer than the screen is wide',
    '',
    '- no item',
    '```',
    '',
    '| a | table that is too wide |',
  ];
  const written = [
    'words and',
    'more words go on and on',
    '',
    '- an item that',
    '  goes on and on',
    "  - `code isn't broken` below",
  ];
  const shown = [
    'words and more words',
    'go on and on',
    '',
    '- an item that goes',
    '  on and on',
    "  - `code isn't broken`",
    '    below',
  ];
  expect(fillWidth([...title, ...written, ...rest].join('\n'), 20)).toBe([...title, ...shown, ...rest].join('\n'));
});

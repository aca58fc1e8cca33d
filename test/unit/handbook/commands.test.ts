// Every command line of the documents is one that the program takes: its words are commands, its options are theirs,
// its topics are pages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { listTopics } from '../../../src/cli/handbook.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { HANDBOOK, ROOT } from '../../handbook/blocks.ts';

const { stdout, stderr } = process;
const program = await buildProgram({ stdout, stderr, environment: {}, signal: new AbortController().signal });

/** In backticks or at the beginning of a line of code; what follows a `#` is a remark. */
const LINE = /(?:`|^)(?:sudo |PGPASSWORD=\S+ )?(?:npm run --silent pithead --|pithead(?:\.exe)?) ([^`#\n]+)/gm;

/** What is wrong with the words after `pithead`; undefined = nothing. */
function wrongIn(line: string): string | undefined {
  const words = line.trim().split(/\s+/);
  let command: Command = program;
  for (const word of words) {
    const below = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (below === undefined && command.commands.length > 0 && !word.startsWith('-')) return `no such command: ${word}`;
    if (below === undefined) break;
    command = below;
  }
  if (command.name() === 'help')
    return words.slice(1).every((word) => word.startsWith('<') || listTopics().includes(word))
      ? undefined
      : 'no such topic';
  const known = ['--help', '--version', ...command.options.flatMap(({ long, short }) => [long, short])];
  const unknown = words.filter((word) => word.startsWith('-') && !known.includes(word));
  return unknown.length === 0 ? undefined : `no such option: ${unknown.join(', ')}`;
}

const pages = readdirSync(join(ROOT, HANDBOOK)).map((file) => `${HANDBOOK}/${file}`);
const lines = [...pages, 'README.md', 'drivers/README.md', 'packaging/README.md'].flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(LINE)].map(([, line = '']) => line.trim()),
);

test('there are many', () => expect(lines.length).toBeGreaterThan(80));

test.each([...new Set(lines)])('pithead %s', (line) => expect(wrongIn(line)).toBeUndefined());

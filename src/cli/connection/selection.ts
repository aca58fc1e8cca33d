// The miners that a person means: reads the selector from arguments, files and standard input, and asks the service or
// the agent for their rows. It does nothing to them.
import type { Command } from 'commander';
import type { BoardMiner } from '../../model/board/board-miner.ts';
import { parseSelector, type Selector, selectorText, type Unmatched } from '../../model/selector/selector.ts';
import { readInput, readOptionFile, withUsage, wrongOption } from '../options.ts';
import { askBoard } from './board-feed.ts';
import type { Connection } from './connection.ts';

export type SelectorFlags = { file?: string[] };

export const SELECTOR_HELP = `
Which miners: an address, a range, a MAC, a serial number, a worker, or words: rack:C03, container:1, model:s19, flag:fan, pool:old.example,
driver:, firmware:, algorithm:, state:ill|silent|missing|hung|new|asleep|maintenance. Words of different kinds narrow, words of one kind widen, a comma means or,
not leaves out what the next word selects. @file and --file read words from a file, a line each; - reads them from standard input. all = every miner.`;

export const addSelector = (command: Command, name = '[selector...]'): Command =>
  command
    .argument(name, 'which miners, for example 10.31.3.44, rack:C03, state:ill (see below)')
    .option('--file <file...>', 'read selectors from a file, one per line');

/** Throws CommandFailed of wrong usage for a wrong word or a file that cannot be read. */
export const readSelector = (
  written: readonly string[],
  flags: SelectorFlags,
  stdin?: NodeJS.ReadableStream,
): Promise<Selector> => withUsage(() => readWords(written, flags, stdin));

async function readWords(
  written: readonly string[],
  { file: files = [] }: SelectorFlags,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<Selector> {
  const words: string[] = [];
  for (const word of written) {
    if (word === '-') words.push(...linesOf(await readInput('selector', stdin)));
    else if (word.startsWith('@')) words.push(...linesOf(readOptionFile('selector', word.slice(1))));
    else words.push(word);
  }
  for (const file of files) words.push(...linesOf(readOptionFile('--file', file)));
  const read = parseSelector(words);
  if (read.kind === 'ok') return read.selector;
  throw wrongOption('selector', read.problems.join('; '));
}

/** First cells, so that a CSV with addresses in front will do; blank lines and `#` comments do not count. */
const linesOf = (content: string): string[] =>
  content
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => (line.trim().startsWith('#') ? '' : (line.split(/[;\t]/, 1)[0] ?? '').trim()))
    .filter((line) => line !== '');

export type Selection = {
  /** Undefined = the miners are not all that a selector means. */
  readonly selector: Selector | undefined;
  readonly miners: readonly BoardMiner[];
  readonly unmatched: readonly Unmatched[];
  /** What the answer knows nothing of, because only the service keeps it. */
  readonly lacks: readonly string[];
};

/** The rows of the miners that are selected; of all where nothing is written. */
export async function selectMiners(connection: Connection, selector: Selector): Promise<Selection> {
  const withKeys = connection.agent !== undefined;
  const { miners, unmatched, lacks } = await askBoard(connection, selectorText(selector), { withKeys });
  return { selector, miners, unmatched, lacks };
}

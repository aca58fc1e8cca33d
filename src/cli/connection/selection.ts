// The miners that a person means: reads the selector from arguments, files and standard input, and asks the service or
// the agent for their rows. It does nothing to them.
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { BugError } from '../../base/errors.ts';
import type { BoardMiner } from '../../model/board/board-miner.ts';
import { parseSelector, type Selector, selectorText, type Unmatched } from '../../model/selector/selector.ts';
import { decodeBoard } from '../../wire/api/board/codec.ts';
import { boardAnswerSchema } from '../../wire/api/board/messages.ts';
import { wrongOption } from '../options.ts';
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

/** Throws ConfigError for a wrong word or a file that cannot be read. */
export async function readSelector(
  written: readonly string[],
  { file: files = [] }: SelectorFlags,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<Selector> {
  const words: string[] = [];
  for (const word of written) {
    if (word === '-') words.push(...linesOf(await text(stdin)));
    else if (word.startsWith('@')) words.push(...linesOf(readText(word.slice(1))));
    else words.push(word);
  }
  for (const file of files) words.push(...linesOf(readText(file)));
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

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw wrongOption('selector', `cannot read ${path}`);
  }
}

export type Selection = {
  readonly miners: readonly BoardMiner[];
  readonly unmatched: readonly Unmatched[];
  /** What the answer knows nothing of, because only the service keeps it. */
  readonly lacks: readonly string[];
};

/** The rows of the miners that are selected; of all where nothing is written. */
export async function selectMiners(
  connection: Connection,
  selector: Selector,
  signal: AbortSignal,
): Promise<Selection> {
  // Agents know miners by their own keys.
  const body = { select: selectorText(selector), with_keys: connection.agent !== undefined };
  const answer = connection.service
    ? (await connection.service.ask(boardAnswerSchema, { method: 'POST', path: '/board/search', body })).data
    : await connection.agent?.board(body, signal);
  if (answer === undefined) throw new BugError('ask for miners: there is neither an agent nor a service');
  const { miners, unmatched, lacks } = decodeBoard(answer);
  return { miners, unmatched, lacks };
}

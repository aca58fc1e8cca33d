// Values of options, read with their bounds. What is wrong becomes a ConfigError that names the option.
import { readFileSync } from 'node:fs';
import { ConfigError } from '../base/errors.ts';
import { DURATION_FORMS, parseDurationMs } from '../base/time/duration.ts';
import { CommandFailed, EXIT } from './output/exit.ts';

export const wrongOption = (option: string, message: string): ConfigError =>
  new ConfigError('read the command line', [{ path: option, message }]);

export function readWhole(option: string, text: string, min: number, max: number, what = 'whole number'): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw wrongOption(option, `'${text}' is not a ${what} from ${min} to ${max}`);
}

/** Milliseconds. */
export function readDuration(option: string, text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs === undefined) throw wrongOption(option, `'${text}' is not ${DURATION_FORMS}`);
  return durationMs;
}

/** `a,b` and repeated options alike. */
export const splitList = (texts: readonly string[]): string[] =>
  texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** The text of a file that an option names. Throws ConfigError. */
export function readOptionFile(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError('read the command line', [{ path: option, message: `cannot read ${path}` }], error);
  }
}

/** More than 100,000 miners, each with a line of its own. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/** The text of the standard input. Throws ConfigError where it is longer than any list of miners. */
export async function readInput(option: string, stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > MAX_INPUT_BYTES)
      throw wrongOption(option, `more than ${MAX_INPUT_BYTES / 1024 ** 2} MiB come from the standard input`);
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What is wrong with the words of a command ends it with 2, as an unknown option does. */
export async function withUsage<T>(read: () => Promise<T> | T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map(({ path, message }) => `${path}: ${message}`);
    throw new CommandFailed(problems.join('\n'), EXIT.usage);
  }
}

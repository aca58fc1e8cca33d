// Where in its own files a driver breaks, as far as an error tells. It runs nothing.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Script } from 'node:vm';

/** `index.mjs:12:7`: the innermost place that lies in the folder. */
export function placeIn(error: unknown, folder: string): string | undefined {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  const line = lines.find((each) => each.includes(folder)) ?? '';
  return /([^\s(/\\]+:\d+:\d+)\)?$/.exec(line)?.[1];
}

/**
 * `index.mjs:12`: where the text of the file is wrong. Node tells it of TypeScript and of scripts, and not of modules:
 * these are compiled as a script, which counts only where that finds the same mistake.
 */
export function syntaxPlace(file: string, error: SyntaxError): string | undefined {
  const told = placeAbove(error);
  if (told !== undefined) return told;
  try {
    void new Script(asScript(readFileSync(file, 'utf8')), { filename: basename(file) });
  } catch (again) {
    if (again instanceof SyntaxError && again.message === error.message) return placeAbove(again);
  }
  return undefined;
}

/** Above the message of such an error, where its stack has it. */
const placeAbove = ({ stack = '' }: SyntaxError): string | undefined => /^.*?([^/\\\s]+:\d+)\n/.exec(stack)?.[1];

const asScript = (text: string): string =>
  text
    .replaceAll(/^export default /gm, 'const exported__ = ')
    .replaceAll(/^export /gm, '')
    .replaceAll(/^import .*$/gm, '');

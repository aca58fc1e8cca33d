// How the process of the folder drivers is started: this program again, which may read the folder and nothing else,
// write nothing, and start neither a process nor a thread.
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import { PROCESS_COMMAND } from './protocol.ts';

export type ChildCommand = {
  readonly file: string;
  readonly args: readonly string[];
  /** Of the program itself, where it lies in files. */
  readonly readable: readonly string[];
};

const HEAP_MB = 64;
const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

/** `words` = the command line after the program. */
export function ownCommand(words: readonly string[] = [PROCESS_COMMAND]): ChildCommand {
  if (isSea()) return { file: process.execPath, args: words, readable: [] };
  const main = join(ROOT, 'src', 'main.ts');
  return existsSync(main)
    ? { file: process.execPath, args: [main, ...words], readable: checkout() }
    : {
        file: process.execPath,
        args: [process.argv[1] ?? '', ...words],
        readable: [join(process.argv[1] ?? '', '..')],
      };
}

/** A checkout may share the packages of another one. */
export const checkout = (): string[] => [ROOT, realpathSync(join(ROOT, 'node_modules'))];

/** Nothing of this process's own environment is handed on: it may hold secrets. */
export function childEnvironment(
  { readable }: ChildCommand,
  folders: readonly string[],
  heapMb = HEAP_MB,
): NodeJS.ProcessEnv {
  const flags = [
    '--permission',
    ...[...readable, ...folders, ...folders.map((folder) => realpathSync(folder))].map(
      (path) => `--allow-fs-read=${path}`,
    ),
    `--max-old-space-size=${heapMb}`,
  ];
  const { SystemRoot } = process.env;
  return { NODE_OPTIONS: flags.map(quoted).join(' '), ...(SystemRoot !== undefined && { SystemRoot }) };
}

const quoted = (flag: string) => `"${flag.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

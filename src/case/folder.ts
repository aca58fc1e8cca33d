// A case on disk: one folder with `case.json` and a file per answer, byte for byte. It never writes over a folder.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import { type Case, caseSchema } from './format.ts';

export type CaseFolder = {
  readonly folder: string;
  readonly about: Case;
  /** The answer, as the device sent it. */
  bytesOf(file: string): Buffer;
};

export const CASE_FILE = 'case.json';
/** More than any answer that a capture keeps. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Throws ConfigError that says what is wrong with the folder. */
export function readCase(folder: string): CaseFolder {
  const about = parse(folder, readWhole(folder, CASE_FILE).toString('utf8'));
  const bytes = new Map(about.responses.map(({ file }) => [file, readWhole(folder, file)]));
  return { folder, about, bytesOf: (file) => bytes.get(file) ?? Buffer.alloc(0) };
}

/** The folder itself, or the cases in its `cases`: of a driver. In alphabetical order. */
export function caseFoldersIn(path: string): readonly string[] {
  if (existsSync(join(path, CASE_FILE))) return [path];
  const cases = join(path, 'cases');
  if (!existsSync(cases)) return [];
  return readdirSync(cases)
    .toSorted()
    .map((name) => join(cases, name))
    .filter((folder) => existsSync(join(folder, CASE_FILE)));
}

/** `files` = text of each file; written as Latin-1 it gives the bytes of the device. Throws ConfigError. */
export function writeCase(folder: string, about: Pick<Case, 'id'>, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text, 'latin1');
  writeFileSync(join(folder, CASE_FILE), `${JSON.stringify(about, null, 2)}\n`);
}

function parse(folder: string, text: string): Case {
  const wrong = (path: string, message: string) => new ConfigError(`read the case ${folder}`, [{ path, message }]);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw wrong(CASE_FILE, error instanceof Error ? error.message : 'is no JSON');
  }
  const { success, data, error } = caseSchema.safeParse(json);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => ({ path: path.join('.') || CASE_FILE, message }));
  throw new ConfigError(`read the case ${folder}`, problems);
}

function readWhole(folder: string, name: string): Buffer {
  const path = join(folder, name);
  const wrong = (message: string) => new ConfigError(`read the case ${folder}`, [{ path: name, message }]);
  if (!existsSync(path)) {
    const what =
      name === CASE_FILE ? 'is not there: a case is a folder that pithead capture has written' : 'is missing';
    throw wrong(what);
  }
  if (statSync(path).size > MAX_BYTES) throw wrong(`is larger than ${MAX_BYTES / 1024 ** 2} MiB`);
  return readFileSync(path);
}

// Where the state of a configuration lies, for those who only look for the agent that runs on it: nothing else of the file is checked, and no
// secret is needed.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError } from '../../base/errors.ts';

/** As in the schema of the whole file. */
const schema = z.looseObject({ stateDir: z.string().min(1).default('pithead-state') });

/** Throws ConfigError when the file cannot be read or makes no sense. */
export function stateDirOf(path: string): string {
  const wrong = (message: string, cause?: unknown) =>
    new ConfigError(`read config file ${path}`, [{ path: '(file)', message }], cause);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw wrong('cannot be read: does it exist, may this user read it?', error);
  }
  try {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const { stateDir } = schema.parse(document.toJS({ maxAliasCount: 50 }) ?? {});
    return resolve(dirname(resolve(path)), stateDir);
  } catch (error) {
    throw wrong('is wrong: pithead config check says where', error);
  }
}

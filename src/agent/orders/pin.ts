// Where the key of a service is kept: a file of its own beside the agent's credentials, because versions before this one refuse credentials with a
// field that they do not know, and an update must be able to go back to them.
import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../../base/errors.ts';
import { readPublicKey } from '../../base/secrets.ts';
import { writeWhole } from '../../base/storage/atomic-file.ts';
import { parseJson } from '../../wire/frames.ts';
import type { KeyPin } from './contract.ts';

const fileSchema = z.object({
  task_key: z.string().refine((text) => readPublicKey(text) !== undefined),
  signs_notices: z.boolean().optional(),
});
type Pinned = z.infer<typeof fileSchema>;

/** Throws ConfigError when there is a file that holds no key. */
export function filePin(path: string): KeyPin {
  let pinned = load(path);
  return {
    file: path,
    read: () => pinned?.task_key,
    signsNotices: () => pinned?.signs_notices === true,
    keep(key) {
      pinned = { ...pinned, task_key: key };
      write(path, pinned);
    },
    keepSignsNotices() {
      if (pinned === undefined) return;
      pinned = { ...pinned, signs_notices: true };
      write(path, pinned);
    },
  };
}

const write = (path: string, pinned: Pinned) => writeWhole(path, `${JSON.stringify(pinned)}\n`, 0o600);

/** The pin of an identity that was got just now: what the service gave with it, and nothing of an earlier one. */
export function newPin(path: string, key: string | undefined): KeyPin {
  if (key === undefined || readPublicKey(key) === undefined) rmSync(path, { force: true });
  else write(path, { task_key: key });
  return filePin(path);
}

/** Lasts as long as the process. */
export function memoryPin(key?: string): KeyPin {
  let pinned = key;
  let isSigning = false;
  return {
    read: () => pinned,
    signsNotices: () => isSigning,
    keep(key) {
      pinned = key;
    },
    keepSignsNotices() {
      isSigning = true;
    },
  };
}

function load(path: string): Pinned | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new ConfigError(
      `read ${path}`,
      [{ path: '(file)', message: 'cannot be read: may this user read it?' }],
      error,
    );
  }
  const parsed = fileSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new ConfigError(`read ${path}`, [
    {
      path: '(file)',
      message: 'is damaged: remove it to take the key that the service shows at the next connection',
    },
  ]);
}

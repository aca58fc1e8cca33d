// The pinned key of a service, in a file of its own beside the credentials: the key changes, and an operator who
// removes the file makes the agent accept a key that no earlier one has signed.
import { z } from 'zod';
import { ConfigError, RefusedError } from '../../../base/errors.ts';
import { readPublicKey } from '../../../base/secrets.ts';
import { writeFileAtomic } from '../../../base/storage/atomic-file.ts';
import { readSmallFile } from '../../../base/storage/plain-file.ts';
import { parseJson } from '../../../wire/frames.ts';

/** The key that a service signs with; SPKI in DER as base64. */
export type KeyPin = {
  /** The file, for people. */
  readonly file: string | undefined;
  /** Undefined = its file was removed. */
  read(): string | undefined;
  /** Throws when it cannot be stored; it is valid until the end of the process all the same. */
  keep(key: string): void;
};

const fileSchema = z.object({ task_key: z.string().refine((text) => readPublicKey(text) !== undefined) });

/** Throws ConfigError when there is a file that holds no key. */
export function filePin(file: string): KeyPin {
  const text = readKept(file);
  if (text === undefined) return pinOf(undefined, file);
  const kept = fileSchema.safeParse(parseJson(text)).data;
  if (kept === undefined)
    throw unusable(file, 'is damaged: remove it to take the key that the service shows at the next connection');
  return pinOf(kept.task_key, file);
}

/** The pin of a new enrolment: the key that came with it, and nothing of an earlier one. */
export function newPin(file: string, key: string): KeyPin {
  const pin = pinOf(undefined, file);
  pin.keep(key);
  return pin;
}

/** Without a file it lasts as long as the process. */
export function pinOf(key?: string, file?: string): KeyPin {
  let pinned = key;
  return {
    file,
    read: () => pinned,
    keep(key) {
      pinned = key;
      if (file !== undefined) writeFileAtomic(file, `${JSON.stringify({ task_key: key })}\n`, 0o600);
    },
  };
}

/** Undefined when there is no such file. Throws ConfigError when it cannot be read. */
export function readKept(file: string): string | undefined {
  try {
    return readSmallFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    const message =
      error instanceof RefusedError ? `${error.message}. Move it away` : 'cannot be read: may this user read it?';
    throw unusable(file, message, error);
  }
}

export const unusable = (file: string, message: string, cause?: unknown): ConfigError =>
  new ConfigError(`read ${file}`, [{ path: '(file)', message }], cause);

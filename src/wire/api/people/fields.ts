// Names, passwords and one-time codes as bodies give them. What is said of a wrong one never repeats a password or a
// code.
import { z } from 'zod';
import { isVisible } from '../../../model/plain-text.ts';

export const MAX_NAME = 64;
export const MIN_PASSWORD = 10;
export const MAX_PASSWORD = 128;

const NAME = `accepted: 1 to ${MAX_NAME} characters that can be seen`;
/** The same name in any case is the same person. */
export const personName = z
  .string()
  .normalize('NFC')
  .trim()
  .min(1, { error: NAME })
  .max(MAX_NAME, { error: NAME })
  .refine(isVisible, { error: NAME })
  .meta({ description: 'Name of the person; upper and lower case are the same', examples: ['Ada'] });

const hidden = { format: 'password', writeOnly: true } as const;

/** One that is compared: what is no password of ours is a wrong one. */
export const password = z
  .string()
  .max(MAX_PASSWORD, { error: `accepted: at most ${MAX_PASSWORD} characters` })
  .meta({ ...hidden, description: 'The password' });

const PASSWORD = `accepted: ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`;
export const newPassword = z
  .string()
  .min(MIN_PASSWORD, { error: PASSWORD })
  .max(MAX_PASSWORD, { error: PASSWORD })
  .meta({ ...hidden, description: 'The new password: not the name, and not the one before' });

/** Case, hyphens and blanks do not matter, nor O for 0, and I or L for 1. */
export const codeText = z
  .string()
  .max(MAX_NAME, { error: `accepted: at most ${MAX_NAME} characters` })
  .meta({ description: 'A one-time code, as 4F7KQ-2M9XC', examples: ['4F7KQ-2M9XC'] });

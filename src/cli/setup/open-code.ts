// Finds a live enrolment code in a configuration that others may read, and says what to do: with it any host becomes an
// agent of the farm until it is used or expired. It changes nothing.
import { statSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { isReference } from '../../agent/config/file-schema.ts';
import { readSmallFile } from '../../base/storage/plain-file.ts';

/** What is wrong and what to do, for people; undefined when nothing is, or the file cannot be read. */
export function openCode(path: string): { readonly text: string; readonly remedy: string } | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    const code: unknown = parseDocument(readSmallFile(path)).getIn(['service', 'enrolmentCode']);
    const isOpen = typeof code === 'string' && !isReference(code) && (statSync(path).mode & 0o077) !== 0;
    if (!isOpen) return undefined;
  } catch {
    return undefined;
  }
  return {
    text: `${path} holds service.enrolmentCode and can be read by others`,
    remedy: `take the line out if the agent has enrolled, else chmod 600 ${path}, or keep the code in the secrets file: enrolmentCode: 'secret:${CODE_SECRET}'`,
  };
}

/** Under this name `setup` keeps the code in the secrets file. */
export const CODE_SECRET = 'enrolment-code';

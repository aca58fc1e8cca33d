// The type file for editors that lies beside driver files: the kit as the compiler knows it. A driver needs it for
// nothing; an editor completes, explains and checks by it.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/storage/atomic-file.ts';
import { isOwnFolder } from './candidates.ts';
import { KIT_TYPES } from './kit-types.data.ts';
import { KIT_VERSION } from './process/protocol.ts';

export const TYPES_FILE = 'pithead-kit.d.ts';

/** Above the function that a driver file exports; `folder` = where the type file lies, seen from there. */
export const kitParam = (folder: '.' | '..'): string => `/** @param {import('${folder}/${TYPES_FILE}').Kit} kit */`;

export const kitTypesText =
  (): string => `// Written by Pithead: the kit of driver files, version ${KIT_VERSION}. No driver needs it. An editor completes, explains
// and checks a driver file by it that begins like this:
//
//   // @ts-check
//   ${kitParam('.')}
//   export default (kit) => kit.defineDriver({ … });

export type Kit = typeof import('./${TYPES_FILE}');
${KIT_TYPES}`;

/**
 * Where the file is missing or another one. A folder that is not there or cannot be written stays as it is: nothing
 * depends on the file. So does the folder of the program's own drivers, and what is no file, such as a link.
 */
export function writeKitTypes(folder: string): void {
  const path = join(folder, TYPES_FILE);
  const text = kitTypesText();
  try {
    if (isOwnFolder(folder)) return;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) return;
    if (found?.size === Buffer.byteLength(text) && readFileSync(path, 'utf8') === text) return;
    writeFileAtomic(path, text, 0o644);
  } catch {
    // A folder that is not ours to write.
  }
}

// Runs at the start of the program: gives it its parts when it first asks for each, so that an agent does not keep the
// text of a service in memory. The parts lie in the executable, or beside the file of a program that is run by Node.
// They are packed: what is read of a file counts as memory of the program for as long as it runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { compileFunction } from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';

/** Of the files of the parts, below the folder of the program, and of their assets in an executable. */
export const PARTS = 'parts';

type Require = (id: string) => unknown;

/** `fromNode` gives what is Node's own. `folder` = where the program lies. */
export function requireParts(fromNode: Require, folder: string): Require {
  const made = new Map<string, { exports: unknown }>();
  const requirePart = (id: string): unknown => {
    if (!id.startsWith('./')) return fromNode(id);
    const known = made.get(id);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    made.set(id, module);
    const name = `${PARTS}/${id.slice(2)}`;
    const packed = isSea() ? new Uint8Array(getRawAsset(name)) : readFileSync(join(folder, name));
    const text = brotliDecompressSync(packed).toString('latin1');
    const run = compileFunction(text, ['exports', 'require', 'module', '__dirname'], { filename: name });
    run(module.exports, requirePart, module, folder);
    return module.exports;
  };
  return requirePart;
}

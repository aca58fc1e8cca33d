// What a driver file may import: its own files, and modules of Node that only compute. Against slips: requests to a
// device are the agent's to send. Files and processes are refused by the permissions of the process itself.
import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMPUTE_ONLY: ReadonlySet<string> = new Set(
  [
    ...['assert', 'assert/strict', 'buffer', 'crypto', 'events', 'path', 'path/posix', 'path/win32'],
    ...['querystring', 'string_decoder', 'url', 'util', 'zlib'],
  ].map((name) => `node:${name}`),
);

/** `folders` = where drivers are, asked at each import. For the whole process, and for good. */
export function restrictImports(folders: () => Iterable<string>): void {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (resolved.url.startsWith('node:') && !COMPUTE_ONLY.has(resolved.url) && isIn(folders(), context.parentURL))
        throw new Error(
          `${resolved.url} is not for drivers: what is sent to a device goes by \`asks\` and by \`link\``,
        );
      return resolved;
    },
  });
}

function isIn(folders: Iterable<string>, url: string | undefined): boolean {
  if (url?.startsWith('file:') !== true) return false;
  const file = fileURLToPath(url);
  return [...folders].some((folder) => file.startsWith(`${folder}${sep}`));
}

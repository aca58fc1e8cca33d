// Comments on the fields of a schema, which the compiler leaves out where it writes its type: from the source, for the
// editor to show. A schema without any stays as it is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../blocks.ts';
import type { Statement } from './declarations.ts';

const FIELD = /^ {2}(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\n {2}(\w+):/gm;

export function withFieldComments(path: string, { name, text }: Statement): string {
  if (!text.includes(`const ${name}: z.ZodObject<`)) return text;
  const source = readFileSync(join(ROOT, path), 'utf8');
  const schema = new RegExp(String.raw`^(?:export )?const ${name} = [\s\S]*?^\}\);`, 'm').exec(source)?.[0] ?? '';
  return [...schema.matchAll(FIELD)].reduce((whole, [, comment = '', field]) => {
    const indented = comment.replaceAll('\n  ', '\n    ');
    return whole.replace(new RegExp(`^    ${field}:`, 'm'), (found) => `    ${indented}\n${found}`);
  }, text);
}

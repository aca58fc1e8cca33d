// One flat text of declarations from those of many files: what the kit exports, and what that is made of. Two things of
// one name get two names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Module, modulesOf, type Statement } from './declarations.ts';
import { withFieldComments } from './field-comments.ts';

const KIT = 'src/driver/kit/index.ts';

type Origin = { readonly path: string; readonly name: string };
type Entry = Origin & { readonly statements: readonly Statement[]; readonly uses: ReadonlyMap<string, string> };

const keyOf = ({ path, name }: Origin): string => `${path} ${name}`;

/** Without the line that names the file itself, see `kitTypes`. */
export function bundledKitTypes(): string {
  const modules = modulesOf(KIT);
  const exported = exportsOf(modules, KIT);
  const entries = reachable(modules, [...exported.values()]);
  const names = flatNames(entries, exported);
  const isExported = new Set([...exported.values()].map(keyOf));
  const parts = [...entries.values()].flatMap((entry) =>
    entry.statements.map((statement) => textOf(statement, entry, names, isExported.has(keyOf(entry)))),
  );
  const zod = readFileSync(join(import.meta.dirname, 'zod.d.ts'), 'utf8').replace(/^(\/\/.*\n)+/, '');
  // Without an export of nothing a declaration file exports all that it declares.
  return `${parts.join('')}${zod}\nexport {};\n`;
}

/** By the name in the kit. */
function exportsOf(modules: ReadonlyMap<string, Module>, path: string): Map<string, Origin> {
  const { statements, handedOn, whole } = moduleAt(modules, path);
  const found = new Map<string, Origin>();
  for (const file of whole) for (const [name, origin] of exportsOf(modules, file)) found.set(name, origin);
  for (const name of handedOn) {
    const origin = originOf(modules, path, name);
    if (origin !== undefined) found.set(name, origin);
  }
  for (const { name, isExported } of statements) if (isExported) found.set(name, { path, name });
  return found;
}

/** Where it is declared; undefined = in a library. */
function originOf(modules: ReadonlyMap<string, Module>, path: string, name: string): Origin | undefined {
  const { statements, from, whole } = moduleAt(modules, path);
  if (statements.some((statement) => statement.name === name)) return { path, name };
  const source = from.get(name);
  if (source !== undefined) return source.endsWith('.ts') ? originOf(modules, source, name) : undefined;
  for (const file of whole) {
    const origin = originOf(modules, file, name);
    if (origin !== undefined) return origin;
  }
  return undefined;
}

function moduleAt(modules: ReadonlyMap<string, Module>, path: string): Module {
  const module = modules.get(path);
  if (module === undefined) throw new Error(`the compiler has written no declarations of ${path}`);
  return module;
}

const TOKEN =
  /\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<before>\.|\btypeof )?\b(?<word>[A-Za-z_$][\w$]*)\b/g;

/** Types begin with a capital letter, and values are named by `typeof`: so the name of a field is none of both. */
const isReference = (word: string, before: string, after: string): boolean =>
  before === 'typeof ' || (before === '' && /^[A-Z]/.test(word) && !/^\??:/.test(after));

/** The text with another name for each that it refers to; undefined = the same one. */
function withNames(text: string, nameOf: (word: string) => string | undefined): string {
  let result = '';
  let end = 0;
  for (const { 0: all, index, groups = {} } of text.matchAll(TOKEN)) {
    const { word, before = '' } = groups;
    const after = index + all.length;
    if (word === undefined || !isReference(word, before, text.slice(after, after + 2))) continue;
    result += `${text.slice(end, index)}${before}${nameOf(word) ?? word}`;
    end = after;
  }
  return result + text.slice(end);
}

function reachable(modules: ReadonlyMap<string, Module>, from: readonly Origin[]): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  const waiting = [...from];
  for (let origin = waiting.shift(); origin !== undefined; origin = waiting.shift()) {
    const { path, name } = origin;
    if (entries.has(keyOf(origin))) continue;
    const statements = moduleAt(modules, path)
      .statements.filter((statement) => statement.name === name)
      .map((statement) => ({ ...statement, text: withFieldComments(path, statement) }));
    const uses = new Map<string, string>();
    const use = (word: string) => {
      const used = originOf(modules, path, word);
      if (used === undefined) return undefined;
      uses.set(word, keyOf(used));
      waiting.push(used);
      return undefined;
    };
    for (const { text } of statements) withNames(text, use);
    entries.set(keyOf(origin), { path, name, statements, uses });
  }
  return entries;
}

/** What the kit exports keeps its name; of others the first one does. */
function flatNames(
  entries: ReadonlyMap<string, Entry>,
  exported: ReadonlyMap<string, Origin>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set([...exported.keys(), 'Kit', 'z']);
  for (const [name, origin] of exported) names.set(keyOf(origin), name);
  for (const [key, { name }] of entries) {
    if (names.has(key)) continue;
    let free = name;
    for (let number = 2; taken.has(free); number++) free = `${name}${number}`;
    taken.add(free);
    names.set(key, free);
  }
  return names;
}

const DECLARED = /^((?:\/\*\*[\s\S]*?\*\/\n)?(?:declare )?(?:abstract )?(?:const|function|class|type|interface) )(\w+)/;

/** Places in our own papers and files, which the reader of the types does not have. */
const INTERNAL = / \((?:atlas [\d. ,and]+|atlas section [\d.]+|[\w/-]+\.ts)\)|; atlas [\d.]+(?=\))/g;

function textOf({ text }: Statement, entry: Entry, names: ReadonlyMap<string, string>, isExported: boolean): string {
  const own = names.get(keyOf(entry)) ?? entry.name;
  return withNames(text, (word) => names.get(entry.uses.get(word) ?? ''))
    .replace(DECLARED, (_, before: string) => `${before}${own}`)
    .replace(/^(\/\*\*[\s\S]*?\*\/\n)?/, (comment) => `${comment}${isExported ? 'export ' : ''}`)
    .replaceAll(INTERNAL, '')
    .replaceAll(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2));
}

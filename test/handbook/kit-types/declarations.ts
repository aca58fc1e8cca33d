// What the compiler says of the kit, statement by statement: each has its name and its text, with the comment above it.
// It knows declaration files as the compiler writes them, and no other code.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, relative, sep } from 'node:path';
import { ROOT } from '../blocks.ts';

export type Statement = { readonly name: string; readonly text: string; readonly isExported: boolean };

export type Module = {
  readonly path: string;
  readonly statements: readonly Statement[];
  /** Names that are imported, or handed on under the same name, and the file they come from. */
  readonly from: ReadonlyMap<string, string>;
  readonly handedOn: ReadonlySet<string>;
  /** Files of which all is handed on. */
  readonly whole: readonly string[];
};

const COMPILE_MS = 60_000;

/** By path from the root of the project, as `src/driver/kit/index.ts`; with all files that `entry` reaches. */
export function modulesOf(entry: string): ReadonlyMap<string, Module> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-types-'));
  try {
    const compilerOptions = {
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: join(folder, 'out'), rootDir: ROOT },
      typeRoots: [join(ROOT, 'node_modules', '@types')],
    };
    const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, files: [join(ROOT, entry)], include: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [tsc, '-p', folder], { timeout: COMPILE_MS, stdio: ['ignore', 'pipe', 'pipe'] });
    const files = readdirSync(join(folder, 'out'), { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    return new Map(
      paths.map((path) => {
        const source = relative(join(folder, 'out'), path)
          .split(sep)
          .join('/')
          .replace(/\.d\.ts$/, '.ts');
        return [source, moduleOf(source, readFileSync(path, 'utf8'))];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const KEYWORD = String.raw`(?:export|import|declare|type|interface)\b`;
const REMARK = String.raw`\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n`;
/** A statement, with the comment above it. Lines of one that goes on are indented, or close a bracket. */
const BEGINS = new RegExp(String.raw`^(?=${REMARK}${KEYWORD})|(?<!\*\/\n)^(?=${KEYWORD})`, 'm');
const COMMENT = new RegExp(`^${REMARK}`);
const NAMED = /^(export )?(?:declare )?(?:abstract )?(?:const|function|class|type|interface) (\w+)/;
const LIST = /^(import|export)(?: type)? \{([^}]*)\}(?: from '([^']+)')?;/;
const WHOLE = /^export \* from '([^']+)';/;

function moduleOf(path: string, text: string): Module {
  const statements: Statement[] = [];
  const from = new Map<string, string>();
  const handedOn = new Set<string>();
  const whole: string[] = [];
  const fileOf = (name: string) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name);
  for (const commented of text.split(BEGINS)) {
    const comment = COMMENT.exec(commented)?.[0] ?? '';
    const part = commented.slice(comment.length);
    const [, exported, name] = NAMED.exec(part) ?? [];
    const [, kind, list, source] = LIST.exec(part) ?? [];
    const all = WHOLE.exec(part)?.[1];
    if (name !== undefined) {
      statements.push({ name, text: comment + part.replace(/^export /, ''), isExported: exported !== undefined });
    } else if (list !== undefined) {
      for (const each of namesIn(list, path)) {
        if (source !== undefined) from.set(each, fileOf(source));
        if (kind === 'export') handedOn.add(each);
      }
    } else if (all !== undefined) whole.push(fileOf(all));
    else if (part.trim() !== '') throw new Error(`read the declarations of ${path}: unknown statement: ${part}`);
  }
  return { path, statements, from, handedOn, whole };
}

function namesIn(list: string, path: string): string[] {
  const names = list.split(',').map((name) => name.trim().replace(/^type /, ''));
  const renamed = names.find((name) => name.includes(' as '));
  if (renamed !== undefined) throw new Error(`read the declarations of ${path}: ${renamed}: use one name everywhere`);
  return names.filter((name) => name !== '');
}

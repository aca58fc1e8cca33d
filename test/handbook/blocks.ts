// The parts of the handbook that are made from the code. Each stands between `<!-- name:begin -->` and `<!-- name:end
// -->` of its page.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationTables } from './configuration.ts';
import { errorTables } from './error-codes.ts';
import { eventsTable } from './events.ts';
import { importsTable } from './imports.ts';
import { permissionsTable, rolesTable } from './permissions.ts';
import { tasksTable } from './tasks.ts';
import { verbsTable } from './verbs.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
export const HANDBOOK = 'packaging/handbook';

export type Block = { readonly page: string; readonly name: string; readonly make: () => string };

export const BLOCKS: readonly Block[] = [
  { page: 'configuration', name: 'settings', make: configurationTables },
  { page: 'interface', name: 'roles', make: rolesTable },
  { page: 'interface', name: 'permissions', make: permissionsTable },
  { page: 'interface', name: 'tasks', make: tasksTable },
  { page: 'interface', name: 'events', make: eventsTable },
  { page: 'interface', name: 'errors', make: errorTables },
  { page: 'operation', name: 'verbs', make: verbsTable },
  { page: 'architecture', name: 'imports', make: importsTable },
];

const fileOf = ({ page }: Block) => join(ROOT, HANDBOOK, `${page}.md`);

export function isCurrent(block: Block): boolean {
  const text = readFileSync(fileOf(block), 'utf8');
  return text === withBlock(text, block);
}

export const writeBlock = (block: Block): void =>
  writeFileSync(fileOf(block), withBlock(readFileSync(fileOf(block), 'utf8'), block));

/** What stands in its place today. */
export function blockText(block: Block): string {
  const text = readFileSync(fileOf(block), 'utf8');
  const { from, to } = placeOf(text, block);
  return text.slice(from, to).trim();
}

function withBlock(text: string, block: Block): string {
  const { from, to } = placeOf(text, block);
  return `${text.slice(0, from)}\n\n${block.make()}\n\n${text.slice(to)}`;
}

function placeOf(text: string, { page, name }: Block): { readonly from: number; readonly to: number } {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${page}.md has no place for ${name}: ${begin} … ${end}`);
  return { from: from + begin.length, to };
}

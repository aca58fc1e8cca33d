// The tables of `configuration.md`: every setting of the configuration file with type, default and meaning, as its
// schema says them.
import { z } from 'zod';
import { fileSchema } from '../../src/agent/config/file-schema.ts';
import { table } from './table.ts';

/** As much of JSON Schema as the configuration uses, and `form`: the type in words. */
type Node = {
  readonly type?: string | undefined;
  readonly form?: string | undefined;
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly format?: string | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly properties?: Readonly<Record<string, Node>> | undefined;
  readonly items?: Node | undefined;
  readonly anyOf?: readonly Node[] | undefined;
  readonly const?: unknown;
};
const node: z.ZodType<Node> = z.looseObject({
  type: z.string().optional(),
  form: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  format: z.string().optional(),
  enum: z.array(z.string()).optional(),
  const: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  get properties() {
    return z.record(z.string(), node).optional();
  },
  get items() {
    return node.optional();
  },
  get anyOf() {
    return z.array(node).optional();
  },
});

export type Setting = {
  readonly path: string;
  readonly type: string;
  /** As it would be written in the file; undefined = none. */
  readonly fallback: string | undefined;
  readonly meaning: string;
};

/** Every key that holds a value, in the order of the file. An object in a list is written `list[].key`. */
export function settingsOf(schema: Node, path = ''): Setting[] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([key, value]) =>
    settingsOf(value, `${path}${path === '' ? '' : '.'}${key}`),
  );
  if (schema.properties !== undefined && schema.description === undefined) return below;
  const own = {
    path,
    type: typeOf(schema),
    fallback: schema.default === undefined ? undefined : JSON.stringify(schema.default).replaceAll('"', ''),
    meaning: schema.description ?? '',
  };
  if (schema.properties !== undefined) return path === '' ? below : [own, ...below];
  const section = schema.anyOf?.find(({ properties }) => properties !== undefined);
  if (section !== undefined) return [own, ...settingsOf({ properties: section.properties }, path)];
  const inList = schema.items === undefined ? undefined : objectIn(schema.items);
  return inList === undefined ? [own] : [own, ...settingsOf(inList, `${path}[]`)];
}

const objectIn = (schema: Node): Node | undefined =>
  schema.properties === undefined ? schema.anyOf?.find(({ properties }) => properties !== undefined) : schema;

function typeOf(schema: Node): string {
  const { form, type, items, anyOf, minimum = Number.NEGATIVE_INFINITY, maximum = Infinity } = schema;
  if (form !== undefined) return form;
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (items !== undefined) return `list of: ${typeOf(items)}`;
  if (anyOf !== undefined) return anyOf.map(typeOf).join('; or ');
  if (type === 'object') return 'section';
  if (type === 'boolean') return '`true` or `false`';
  if (type === 'integer') return `whole number, ${minimum} to ${maximum}`;
  if (type === 'number') return `number, ${minimum} to ${maximum}`;
  return schema.format === 'uri' ? 'URL' : 'text';
}

export const SETTINGS: readonly Setting[] = settingsOf(
  node.parse(z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' })),
);

/** One table per section of the file; keys outside a section come first. */
export function configurationTables(): string {
  const sections = new Map<string, Setting[]>();
  for (const setting of SETTINGS) {
    const section = sectionOf(setting);
    sections.set(section, [...(sections.get(section) ?? []), setting]);
  }
  return [...sections]
    .toSorted(([a], [b]) => Number(b === GENERAL) - Number(a === GENERAL))
    .map(([section, settings]) => `### ${section}\n\n${rowsOf(settings)}`)
    .join('\n\n');
}

const GENERAL = 'Without a section';

/** `scan`, `flags.fan`; a key without a dot is in no section, unless it is one. */
function sectionOf({ path, type }: Setting): string {
  const [first = '', second, third] = path.split('.');
  if (second === undefined && type !== 'section') return GENERAL;
  if (first.endsWith('[]')) return GENERAL;
  return first === 'flags' && third !== undefined ? `\`flags.${second}\`` : `\`${first}\``;
}

const rowsOf = (settings: readonly Setting[]) =>
  table(
    ['key', 'type', 'default', 'meaning'],
    settings.map(({ path, type, fallback, meaning }) => [
      `\`${path}\``,
      type,
      fallback === undefined ? '' : `\`${fallback}\``,
      meaning,
    ]),
  );

// From the schemas of the document to values: those that fit, and those that do not. Strings are chosen to hurt.
import fc from 'fast-check';
import type { Document, JsonSchema } from './openapi.ts';

/**
 * What has broken other people's services: quotes, comments, wildcards, control characters, halves of characters, other
 * directions, paths.
 */
export const NASTY = [
  "' OR '1'='1",
  "'; DROP TABLE miners; --",
  '" OR ""="',
  "') UNION SELECT hash FROM api_keys --",
  "x' AND 1=(SELECT COUNT(*) FROM agents) --",
  "\\'; DELETE FROM tasks; /*",
  '%',
  '_',
  '%%%_\\%',
  '\\',
  '\u0000',
  'a\u0000b',
  '\u0001\u001b[31m',
  '\u202egnp.exe',
  '\ud800',
  '\udfff\ud800',
  '\uffff',
  '😀'.repeat(20),
  '{{7*7}}#{7*7}',
  '$(reboot)`reboot`|reboot',
  '../../../../etc/passwd',
  'file:///etc/passwd',
  '<script>alert(1)</script>',
  '{"$ne":null}',
  '[object Object]',
  '__proto__',
  'constructor',
  'null',
  'true',
  '-0',
  '1e400',
  'NaN',
  '9223372036854775808',
  'İıſK',
  'a\r\nset-cookie: x=1',
  ' ',
  '',
] as const;

/** Fields that nobody may set from outside, and two that break careless readers of objects. */
const STOWAWAYS = [
  'workspace_id',
  'farm_id',
  'id',
  'role',
  'created_by',
  'status',
  'permissions',
  'constructor',
  'toString',
];

const anyText = (schema: JsonSchema) => {
  const { minLength = 0, maxLength = 64 } = schema;
  const bounds = { minLength, maxLength: Math.min(maxLength, 64) };
  return fc.oneof(
    { weight: 3, arbitrary: fc.string(bounds) },
    { weight: 1, arbitrary: fc.string({ ...bounds, unit: 'binary' }) },
    { weight: 3, arbitrary: fc.constantFrom(...NASTY) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength > 4_096 ? 300 : maxLength)) },
  );
};

const isoTimes = fc.oneof(
  fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
  fc.date({ min: new Date('2025-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
);

function text(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<string> {
  const patterns = [schema, ...(schema.allOf ?? [])].flatMap(({ pattern }) => pattern ?? []);
  // A pattern that only excludes is for the filter at the end.
  const shape = patterns.find((pattern) => !/\\p\{/i.test(pattern));
  const own = () => {
    if (schema.format === 'uuid') return fc.uuid();
    // Where the service would send something: only to where nothing can come of it.
    if (schema.format === 'uri') return known.length > 0 ? fc.constantFrom(...known) : fc.webUrl();
    if (schema.format === 'date-time') return isoTimes.map((date) => date.toISOString());
    return shape === undefined ? anyText(schema) : fc.stringMatching(new RegExp(shape));
  };
  return known.length === 0 || shape !== undefined ? own() : fc.oneof(own(), fc.constantFrom(...known));
}

function numbers(schema: JsonSchema): fc.Arbitrary<number> {
  const { minimum: min = -Number.MAX_SAFE_INTEGER, maximum: max = Number.MAX_SAFE_INTEGER } = schema;
  const edges = fc.constantFrom(min, max, Math.min(max, min + 1), Math.max(min, max - 1));
  const middle = schema.type === 'integer' ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
  const small = fc.integer({ min: Math.max(min, -2), max: Math.min(max, Math.max(min, -2) + 30) });
  return fc.oneof(edges, middle, small);
}

/** Ids that exist, by the name of the field or parameter that takes them. */
export type Known = Readonly<Record<string, readonly string[]>>;

/** Values that fit the schema, or nearly: callers let the validator decide. */
function near(document: Document, given: JsonSchema, known: Known, name = ''): fc.Arbitrary<unknown> {
  const schema = document.resolve(given);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined) return fc.oneof(...branches.map((branch) => near(document, branch, known, name)));
  switch (schema.type) {
    case 'string':
      return text(schema, known[name] ?? []);
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const { minItems: minLength = 0, maxItems = 1_000 } = schema;
      const item = typeof schema.items !== 'object' ? fc.jsonValue() : near(document, schema.items, known, name);
      const maxLength = Math.min(maxItems, Math.max(minLength, 5));
      return fc.oneof(
        { weight: 20, arbitrary: fc.array(item, { minLength, maxLength }) },
        { weight: 1, arbitrary: item.map((one) => Array.from({ length: Math.min(maxItems, 1_000) }, () => one)) },
      );
    }
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(
        ([field, one]) => [field, near(document, one, known, field)] as const,
      );
      const record = fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
      if (schema.additionalProperties === false) return record;
      const extras = fc.dictionary(
        fc.oneof(fc.constantFrom(...STOWAWAYS), fc.string({ maxLength: 8 })).filter((key) => key !== '__proto__'),
        fc.jsonValue({ maxDepth: 2 }),
        { maxKeys: 3 },
      );
      return fc.tuple(extras, record).map(([extra, own]) => ({ ...extra, ...own }));
    }
    default:
      return fc.jsonValue();
  }
}

export function fitting(document: Document, schema: JsonSchema, known: Known, name = ''): fc.Arbitrary<unknown> {
  const fits = document.validator(schema);
  return near(document, schema, known, name).filter((value) => fits(value));
}

const HUGE = [Number.MAX_SAFE_INTEGER + 2, 1e21, 1e308, -1, -1e21, 0.5, 2 ** 31, 2 ** 63];

const strangers = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, '', [], {}, [[]], [null], { $ne: null }, ...HUGE),
  fc.constantFrom(...NASTY),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A value that does not fit: one that does, broken in one place. */
export function unfitting(document: Document, schema: JsonSchema, known: Known, name = ''): fc.Arbitrary<unknown> {
  const fits = document.validator(schema);
  const broken = fc
    .tuple(near(document, schema, known, name), fc.nat(), fc.nat(5), strangers, fc.constantFrom(...STOWAWAYS, 'x', ' '))
    .map(([value, at, how, stranger, field]) => breakAt(value, at, how, stranger, field));
  return fc
    .oneof({ weight: 6, arbitrary: broken }, { weight: 1, arbitrary: strangers })
    .filter((value) => !fits(value));
}

type Place = { readonly value: unknown; replace(by: unknown): void };

/** The value with one of its places replaced, removed, or given a field too many. */
function breakAt(value: unknown, at: number, how: number, stranger: unknown, field: string): unknown {
  const root = { value: structuredClone(value) };
  const places: Place[] = [{ value: root.value, replace: (by) => void Object.assign(root, { value: by }) }];
  for (let n = 0; n < places.length; n++) {
    const inside = places[n]?.value;
    if (typeof inside !== 'object' || inside === null) continue;
    for (const [key, one] of Object.entries(inside).slice(0, 20))
      places.push({ value: one, replace: (by) => void Reflect.set(inside, key, by) });
  }
  const place = places[at % places.length];
  const inside = place?.value;
  if (typeof inside === 'object' && inside !== null && how < 3) {
    const keys = Object.keys(inside);
    const key = keys[at % Math.max(1, keys.length)];
    if (how === 0 && key !== undefined && !Array.isArray(inside)) Reflect.deleteProperty(inside, key);
    else if (Array.isArray(inside)) inside.push(stranger);
    else Reflect.set(inside, field, stranger);
  } else place?.replace(stranger);
  return root.value;
}

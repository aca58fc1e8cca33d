// Requests to an operation of the document, as arbitrary values: good ones, and ones with exactly one thing wrong.
import fc from 'fast-check';
import { fitting, type Known, NASTY, unfitting } from './arbitrary.ts';
import type { Sent } from './exchange.ts';
import type { Document, JsonSchema, Operation, Parameter } from './openapi.ts';

export type Place = Readonly<Record<string, string>>;

export type Requests = {
  /** Fits the document; the place in the path is the given one. */
  good(operation: Operation, place: Place, headers?: Readonly<Record<string, string>>): fc.Arbitrary<Sent>;
  /** One parameter or the body does not fit; undefined when nothing of the operation can be wrong. */
  bad(operation: Operation, place: Place, headers?: Readonly<Record<string, string>>): fc.Arbitrary<Sent> | undefined;
};

type Query = readonly (readonly [string, string])[];

export function createRequests(document: Document, known: Known): Requests {
  const queryOf = (operation: Operation) => operation.parameters.filter((one) => one.in === 'query');
  const goodQuery = (parameters: readonly Parameter[]): fc.Arbitrary<Query> =>
    fc
      .tuple(...parameters.map((one) => fc.option(written(document, one, known), { freq: 3, nil: [] })), extraQuery)
      .map((parts) => parts.flat());
  const pathOf = (operation: Operation, place: Place) => {
    const names = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name);
    const values = names.map((name) => {
      const fixed = place[name];
      return fixed === undefined ? fc.constantFrom(...(known[name] ?? ['x'])) : fc.constant(fixed);
    });
    return fc
      .tuple(...values)
      .map((texts) =>
        texts.reduce((path, text, n) => path.replace(`{${names[n]}}`, () => encodeURIComponent(text)), operation.path),
      );
  };
  const goodJson = (schema: JsonSchema) =>
    fitting(document, schema, known)
      .map((one) => JSON.stringify(one))
      .filter((text) => !POISONED.test(text));
  const goodBody = ({ body }: Operation) => {
    if (body === undefined) return fc.constant(undefined);
    const value = body.type === JSON_TYPE ? goodJson(body.schema) : places(known);
    return body.isRequired ? value : fc.option(value, { freq: 20, nil: undefined });
  };
  const build = (
    operation: Operation,
    parts: { path: fc.Arbitrary<string>; query: fc.Arbitrary<Query>; body: fc.Arbitrary<string | undefined> },
    headers: Readonly<Record<string, string>>,
  ): fc.Arbitrary<Sent> =>
    fc.record({ ...parts, own: ownHeaders(operation) }).map(({ path, query, body, own }) => ({
      method: operation.method,
      path: query.length === 0 ? path : `${path}?${query.map((pair) => pair.map(escaped).join('=')).join('&')}`,
      headers: {
        ...headers,
        ...own,
        ...(body === undefined ? {} : { 'content-type': operation.body?.type ?? JSON_TYPE }),
      },
      body,
    }));

  return {
    good: (operation, place, headers = {}) =>
      build(
        operation,
        { path: pathOf(operation, place), query: goodQuery(queryOf(operation)), body: goodBody(operation) },
        headers,
      ),
    bad(operation, place, headers = {}) {
      const path = pathOf(operation, place);
      const query = queryOf(operation);
      const ways: fc.Arbitrary<Sent>[] = [];
      const { body } = operation;
      if (body?.type === JSON_TYPE) {
        const wrong = unfitting(document, body.schema, known).map((one) => JSON.stringify(one));
        ways.push(build(operation, { path, query: goodQuery(query), body: wrong }, headers));
      }
      const breakable = query.filter(({ schema }) => canBeWrong(document, schema));
      if (breakable.length > 0) {
        const wrong = fc
          .constantFrom(...breakable)
          .chain((one) =>
            fc
              .tuple(goodQuery(query.filter((other) => other !== one)), miswritten(document, one))
              .map(([rest, broken]) => [...rest, ...broken]),
          );
        ways.push(build(operation, { path, query: wrong, body: goodBody(operation) }, headers));
      }
      return ways.length === 0 ? undefined : fc.oneof(...ways);
    },
  };
}

export const JSON_TYPE = 'application/json';

/** The one other kind of body: places of miners as CSV. What the lines must say is beyond its schema. */
function places({ miner_id: ids = [] }: Known): fc.Arbitrary<string> {
  const cell = fc
    .oneof(fc.constantFrom('', 'R1', '1', '2', '-1', '=1+1', '"'), fc.constantFrom(...NASTY))
    .map((text) => `"${text.toWellFormed().replaceAll('"', '""')}"`);
  const line = fc.tuple(fc.constantFrom(...ids), cell, cell).map((cells) => cells.join(','));
  const good = fc
    .tuple(fc.constantFrom(...ids), fc.nat(9), fc.integer({ min: 1, max: 50 }))
    .map(([id, rack, position]) => `${id},R${rack},${position}`);
  return fc
    .array(fc.oneof({ weight: 3, arbitrary: good }, line), { maxLength: 4 })
    .map((lines) => ['id,rack,position', ...lines].join('\r\n'));
}

/** Fields that no body may have, at any depth: they change what objects are. */
const POISONED = /"(__proto__|constructor)":/;

/** Header parameters: half of the time the same few values, because the same again is what they are about. */
function ownHeaders({ parameters }: Operation): fc.Arbitrary<Readonly<Record<string, string | undefined>>> {
  const fields = parameters.flatMap(({ in: place, name, schema }) => {
    if (place !== 'header') return [];
    const { minLength = 0, maxLength = 100 } = schema;
    const free = fc
      .string({ minLength, maxLength, unit: 'grapheme-ascii' })
      .filter((text) => text.trim() === text && text.length >= minLength);
    return [[name, fc.oneof(fc.constantFrom('again', 'a', 'x'.repeat(maxLength)), free)] as const];
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

/** Halves of characters cannot be written in a URL. */
const escaped = (text: string) => encodeURIComponent(text.toWellFormed());

/** Parameters of proxies and of caches are left aside. */
const extraQuery: fc.Arbitrary<Query> = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('_', '_t', '__proto__', '_[x]'), fc.constantFrom(...NASTY))
      .map((pair) => [pair]),
  },
);

const itemsOf = (document: Document, schema: JsonSchema) =>
  document.resolve(schema.type === 'array' && typeof schema.items === 'object' ? schema.items : schema);
const canBeWrong = (document: Document, schema: JsonSchema) =>
  Object.keys(itemsOf(document, schema)).some(
    (word) => !['type', 'description', 'default', 'examples'].includes(word),
  ) || itemsOf(document, schema).type !== 'string';

/** A parameter in one of the forms that it may take. */
function written(document: Document, { name, schema }: Parameter, known: Known): fc.Arbitrary<Query> {
  if (schema.type !== 'array')
    return fitting(document, schema, known, name)
      .map((value) => String(value))
      .filter((text) => schema.type !== 'string' || document.validator(schema)(text.trim()))
      .map((text) => [[name, text]]);
  const items = fc.array(
    fitting(document, itemsOf(document, schema), known, name)
      .map((value) => String(value).trim())
      .filter((text) => !text.includes(',') && document.validator(itemsOf(document, schema))(text)),
    { maxLength: 4 },
  );
  return fc.oneof(
    items.map((texts) => texts.map((text) => [name, text] as const)),
    items.map((texts) => texts.map((text) => [`${name}[]`, text] as const)),
    items.map((texts) => [[name, texts.join(',')] as const]),
  );
}

/** A text that the schema does not take, also when blanks around it do not count; a blank one means not given. */
function miswritten(document: Document, { name, schema }: Parameter): fc.Arbitrary<Query> {
  const item = itemsOf(document, schema);
  const fits = document.validator(item);
  const read = (text: string) => (item.type === 'integer' && /^-?\d{1,16}$/.test(text) ? Number(text) : text);
  const strangers = fc.oneof(
    fc.constantFrom(...NASTY),
    fc.constantFrom(
      '0',
      '-1',
      '1.5',
      '1e3',
      '0x10',
      '10001',
      '99999999999999999999',
      '１',
      'TRUE',
      '1,2',
      'a,,b',
      '[]',
      '%00',
    ),
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.constant('x'.repeat(5_000)),
  );
  const wrong = strangers.filter((text) => {
    const parts = schema.type === 'array' ? text.split(',') : [text];
    return parts.some((part) => part.trim() !== '' && !fits(read(part.trim())));
  });
  const once = wrong.map((text): Query => [[name, text]]);
  if (schema.type === 'array') return once;
  const twice = wrong.map(
    (text): Query => [
      [name, text],
      [name, text],
    ],
  );
  return fc.oneof({ weight: 4, arbitrary: once }, { weight: 1, arbitrary: twice });
}

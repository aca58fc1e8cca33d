// Schemas of the OpenAPI document, made easier to read for people, linters and generators of clients: words and filters
// become components with names, every field says what it is, and what many readers do not understand is put in simpler
// words. It changes what the document says, never what the service takes.
import { BugError } from '../../../base/errors.ts';
import { DESCRIPTIONS, RULES_OF_PARAMETERS } from './descriptions.data.ts';
import { ENUMS } from './enums.data.ts';

export type Json = Record<string, unknown>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const REF = '#/components/schemas/';

/** Calls `visit` for each schema below `schema`, inner ones first; `owner` = the component that it is in. */
function walk(schema: unknown, owner: string, visit: (schema: Json, owner: string) => void): void {
  if (!isJson(schema)) return;
  for (const inner of innerOf(schema)) walk(inner, owner, visit);
  visit(schema, owner);
}

function innerOf({ properties, items, additionalProperties, anyOf, oneOf, allOf, prefixItems }: Json): unknown[] {
  return [
    ...(isJson(properties) ? Object.values(properties) : []),
    ...[anyOf, oneOf, allOf, prefixItems].flatMap((list) => (Array.isArray(list) ? list : [])),
    items,
    additionalProperties,
  ];
}

/** Each schema of the document with the component that it is in, '' = none. */
function walkAll(document: Json, schemas: Json, visit: (schema: Json, owner: string) => void): void {
  for (const [name, schema] of Object.entries(schemas)) walk(schema, name, visit);
  for (const { operation } of operationsOf(document)) {
    const { parameters, requestBody, responses } = operation;
    for (const parameter of Array.isArray(parameters) ? parameters : [])
      if (isJson(parameter)) walk(parameter.schema, '', visit);
    for (const answer of [requestBody, ...(isJson(responses) ? Object.values(responses) : [])])
      for (const content of contentsOf(answer)) walk(content.schema, '', visit);
  }
}

/** Every operation of the document with its path. */
export function operationsOf(document: Json): { path: string; method: string; operation: Json }[] {
  return Object.entries(isJson(document.paths) ? document.paths : {}).flatMap(([path, methods]) =>
    Object.entries(isJson(methods) ? methods : {}).flatMap(([method, operation]) =>
      isJson(operation) ? [{ path, method, operation }] : [],
    ),
  );
}

/** The contents, one per media type, of a body or an answer. */
export const contentsOf = (body: unknown): Json[] =>
  isJson(body) && isJson(body.content) ? Object.values(body.content).filter(isJson) : [];

/** Changes the document in place. */
export function simplifySchemas(document: Json, schemas: Json): void {
  walkAll(document, schemas, (schema) => {
    simplify(schema);
    nameWords(schema, schemas);
    nameFilter(schema, schemas);
  });
  walkAll(document, schemas, describeFields);
  for (const { operation } of operationsOf(document))
    for (const parameter of Array.isArray(operation.parameters) ? operation.parameters : [])
      if (isJson(parameter)) describeParameter(parameter);
}

function describeParameter(parameter: Json): void {
  const name = String(parameter.name);
  const rule = parameter.in === 'query' ? RULES_OF_PARAMETERS[name] : undefined;
  const texts = [rule, parameter.description ?? (rule === undefined ? DESCRIPTIONS[name] : undefined)];
  parameter.description = texts.filter((text) => text !== undefined).join('. ');
}

/** Parts of a pattern that only some engines read: classes of Unicode, and looks ahead and behind. */
const RARE_PATTERN = /\\[pP]\{|\(\?[=!<]/;

function simplify(schema: Json): void {
  if (typeof schema.pattern === 'string' && RARE_PATTERN.test(schema.pattern)) delete schema.pattern;
  if (Array.isArray(schema.allOf)) {
    const saying = schema.allOf.filter((part) => isJson(part) && Object.keys(part).length > 0);
    if (saying.length > 0) schema.allOf = saying;
    else delete schema.allOf;
  }
  const { prefixItems } = schema;
  if (!Array.isArray(prefixItems)) return;
  const [first, ...others] = prefixItems;
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first)))
    throw new BugError('write the OpenAPI document: the items of a tuple differ, which generators cannot read');
  delete schema.prefixItems;
  Object.assign(schema, { items: first, minItems: prefixItems.length, maxItems: prefixItems.length });
}

/** Puts a reference in place of the schema; what it said of this use of it stays. */
function refer(schema: Json, schemas: Json, name: string): void {
  const { description, deprecated, default: fallback, ...body } = schema;
  const before = schemas[name];
  const made = JSON.stringify(body);
  if (before !== undefined && JSON.stringify(before) !== made)
    throw new BugError(`write the OpenAPI document: two components are called ${name}`);
  schemas[name] = JSON.parse(made);
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, { $ref: REF + name }, { description, deprecated, default: fallback });
  for (const key of Object.keys(schema)) if (schema[key] === undefined) delete schema[key];
}

function nameWords(schema: Json, schemas: Json): void {
  if (!Array.isArray(schema.enum) || schema.type !== 'string') return;
  const words = JSON.stringify(schema.enum);
  const name = Object.keys(ENUMS).find((one) => JSON.stringify(ENUMS[one]) === words);
  if (name !== undefined) refer(schema, schemas, name);
}

const OPERATORS = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte'];

/** An object of nothing but operators is a filter, and called after what it compares. */
function nameFilter(schema: Json, schemas: Json): void {
  const { properties } = schema;
  if (!isJson(properties)) return;
  const names = Object.keys(properties);
  if (names.length === 0 || names.some((name) => !OPERATORS.includes(name))) return;
  const [first] = Object.values(properties);
  const value = wordOf(first);
  const what = value ?? (names.includes('gt') ? 'Time' : JSON.stringify(first).includes('128') ? 'Id' : 'Text');
  const kind = names.length > 1 ? 'Filter' : names[0] === 'in' ? 'AnyFilter' : 'EqualFilter';
  refer(schema, schemas, what + kind);
}

/** The component that a value of the schema is one of. */
function wordOf(schema: unknown): string | undefined {
  if (!isJson(schema)) return undefined;
  if (typeof schema.$ref === 'string') return schema.$ref.slice(REF.length);
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return wordOf(schema.items) ?? branches.map(wordOf).find((name) => name !== undefined);
}

function describeFields(schema: Json, owner: string): void {
  if (!isJson(schema.properties)) return;
  for (const [name, field] of Object.entries(schema.properties)) {
    if (!isJson(field) || field.description !== undefined) continue;
    const [branch] = Array.isArray(field.anyOf) ? field.anyOf.filter((one) => isJson(one) && one.description) : [];
    const description =
      (isJson(branch) && branch.description) || DESCRIPTIONS[`${owner}.${name}`] || DESCRIPTIONS[name];
    if (description !== undefined) field.description = description;
  }
}

/** The schema that a reference stands for. */
export function resolve(schema: Json, schemas: Json): Json {
  const target = typeof schema.$ref === 'string' ? schemas[schema.$ref.slice(REF.length)] : schema;
  return isJson(target) ? target : {};
}

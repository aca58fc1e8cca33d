// An example of each body and each good answer of the OpenAPI document, made from its schema: so it fits, and no
// operation goes without one.
import { SAMPLE_ID, SAMPLE_TIME, SAMPLES, TEXT_SAMPLES } from './samples.data.ts';
import { isJson, type Json, operationsOf, resolve } from './schemas.ts';

/** No schema of ours is deeper. */
const MAX_DEPTH = 16;

/** Changes the document in place. */
export function addExamples(document: Json, schemas: Json): void {
  for (const { operation } of operationsOf(document)) {
    const { requestBody, responses } = operation;
    for (const body of [requestBody, isJson(responses) ? responses['200'] : undefined])
      for (const [type, content] of Object.entries(isJson(body) && isJson(body.content) ? body.content : {}))
        if (isJson(content) && isJson(content.schema))
          content.example ??= TEXT_SAMPLES[type] ?? exampleOf(content.schema, schemas, '', 0);
  }
}

function exampleOf(given: Json, schemas: Json, name: string, depth: number): unknown {
  const schema = resolve(given, schemas);
  if (depth > MAX_DEPTH) return null;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  const [branch] = [schema.oneOf, schema.anyOf].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isJson);
  if (branch !== undefined) return exampleOf(branch, schemas, name, depth + 1);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const sample = SAMPLES[name];
  switch (schema.type) {
    case 'object':
      return objectOf(schema, schemas, depth);
    case 'array':
      if (Array.isArray(sample)) return sample;
      return arrayOf(schema, schemas, name, depth);
    case 'string':
      return typeof sample === 'string' ? sample : textOf(schema, name);
    case 'integer':
    case 'number':
      return typeof sample === 'number' ? sample : (schema.default ?? schema.minimum ?? 1);
    case 'boolean':
      return schema.default ?? false;
    default:
      return null;
  }
}

/** Of the operators of a filter one; of other objects every field. */
function objectOf({ properties }: Json, schemas: Json, depth: number): Json {
  const fields = Object.entries(isJson(properties) ? properties : {});
  const has = (wanted: string) => fields.some(([name]) => name === wanted);
  const shown = has('eq') || has('in') ? fields.filter(([name]) => name === (has('gte') ? 'gte' : 'in')) : fields;
  const used = shown.length > 0 ? shown : fields.slice(0, 1);
  return Object.fromEntries(
    used.map(([name, field]) => [name, isJson(field) ? exampleOf(field, schemas, name, depth + 1) : null]),
  );
}

function arrayOf({ items, minItems }: Json, schemas: Json, name: string, depth: number): unknown[] {
  const count = typeof minItems === 'number' ? Math.max(1, minItems) : 1;
  const one = isJson(items) ? exampleOf(items, schemas, name.replace(/s$/, ''), depth + 1) : null;
  return Array.from({ length: count }, () => one);
}

function textOf({ format, pattern }: Json, name: string): string {
  if (format === 'uuid') return SAMPLE_ID;
  if (format === 'date-time') return SAMPLE_TIME;
  if (format === 'ipv4') return '10.0.0.21';
  if (format === 'uri') return 'https://pithead.example/';
  return typeof pattern === 'string' && pattern.includes('{64}') ? '0'.repeat(64) : name.replaceAll('_', ' ') || 'text';
}

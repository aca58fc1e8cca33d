// The served OpenAPI document as data: its operations with their inputs, and its schemas compiled. It knows nothing of
// the routes behind it.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { z } from 'zod';

/** The part of JSON Schema that the document uses. */
export const jsonSchema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  minProperties: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), jsonSchema).optional();
  },
  get items() {
    return z.union([z.boolean(), jsonSchema]).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), jsonSchema]).optional();
  },
  get oneOf() {
    return z.array(jsonSchema).optional();
  },
  get anyOf() {
    return z.array(jsonSchema).optional();
  },
  get allOf() {
    return z.array(jsonSchema).optional();
  },
});
export type JsonSchema = z.infer<typeof jsonSchema>;

const content = z.record(z.string(), z.object({ schema: jsonSchema }));
const parameterSchema = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  schema: jsonSchema,
});
export type Parameter = z.infer<typeof parameterSchema>;

const operationSchema = z.object({
  operationId: z.string(),
  security: z.array(z.unknown()).optional(),
  parameters: z.array(parameterSchema).default([]),
  requestBody: z.object({ required: z.boolean().default(false), content }).optional(),
  responses: z.record(z.string(), z.object({ content: content.optional() })),
});
const documentSchema = z.object({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), jsonSchema) }),
});

export type Operation = {
  readonly id: string;
  readonly method: string;
  /** With `{name}` for each parameter. */
  readonly path: string;
  readonly takesKey: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly type: string; readonly isRequired: boolean; readonly schema: JsonSchema } | undefined;
  /** Per status: content type → schema. */
  readonly responses: ReadonlyMap<number, ReadonlyMap<string, JsonSchema>>;
};

export type Document = {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** What a reference of the document stands for. */
  resolve(schema: JsonSchema): JsonSchema;
  /** Compiled once per schema object. */
  validator(schema: JsonSchema): ValidateFunction;
};

const REF = '#/components/schemas/';

export function readDocument(json: unknown): Document {
  const { paths, components } = documentSchema.parse(json);
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  ajvFormats.default(ajv);
  ajv.addSchema({ $id: 'https://openapi.test/', components });
  let compilations = 0;
  const compiled = new WeakMap<JsonSchema, ValidateFunction>();
  return {
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => toOperation(method, path, operation)),
    ),
    schemas: components.schemas,
    resolve(schema) {
      const name = schema.$ref?.slice(REF.length);
      return name === undefined ? schema : (components.schemas[name] ?? schema);
    },
    validator(schema) {
      const known = compiled.get(schema);
      if (known !== undefined) return known;
      const made = ajv.compile({ $id: `https://openapi.test/inline/${compilations++}`, ...absolute(schema) });
      compiled.set(schema, made);
      return made;
    },
  };
}

/** References to components, wherever the schema is compiled. */
function absolute(schema: JsonSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema).replaceAll(`"${REF}`, `"https://openapi.test/${REF}`));
}

function toOperation(method: string, path: string, operation: z.infer<typeof operationSchema>): Operation {
  const body = operation.requestBody;
  const [taken] = Object.entries(body?.content ?? {});
  const types = (described: z.infer<typeof content> | undefined) =>
    new Map(Object.entries(described ?? {}).map(([type, { schema: one }]) => [type, one]));
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    takesKey: operation.security === undefined,
    parameters: operation.parameters,
    body: taken && { type: taken[0], isRequired: body?.required ?? false, schema: taken[1].schema },
    responses: new Map(
      Object.entries(operation.responses).map(([status, { content: described }]) => [Number(status), types(described)]),
    ),
  };
}

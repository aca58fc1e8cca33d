// The type file for editors that lies beside driver files: the contract, readings as their schema has them, and the
// names of the kit as it is. A driver needs it for nothing; an editor completes and explains by it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readingSchema } from '../../model/reading.ts';
import { identitySchema } from '../contract.ts';
import { CONTRACT_TYPES } from './kit-types.data.ts';
import { KIT_VERSION } from './process/protocol.ts';

const TYPES_FILE = 'pithead-kit.d.ts';

/** Gives the path of the file. Throws where the folder cannot be written. */
export function writeKitTypes(folder: string, kit: Readonly<Record<string, unknown>>): string {
  const path = join(folder, TYPES_FILE);
  writeFileSync(path, kitTypes(kit), { mode: 0o644 });
  return path;
}

export function kitTypes(kit: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(kit)
    .filter((name) => name !== 'defineDriver')
    .toSorted();
  return [
    `// Written by Pithead, for version ${KIT_VERSION} of the kit. An editor knows the argument of a driver file by it:`,
    "//   /** @param {import('./pithead-kit.d.ts').Kit} kit */",
    '//   export default (kit) => kit.defineDriver({ … });',
    '',
    'export type Kit = {',
    '  /** Checks and completes a driver; `read` gives what one visit reports. */',
    '  defineDriver(driver: Driver & { read(...given: never[]): Reading } & Readonly<Record<string, unknown>>): unknown;',
    ...names.map((name) => `  readonly ${name}: ${typeof kit[name] === 'function' ? 'Helper' : 'unknown'};`),
    '};',
    '',
    CONTRACT_TYPES,
    '/** Absent is undefined; never 0, never invented. Units are in the names. */',
    `export type Reading = ${typeOf(schemaOf(readingSchema))};`,
    '',
    `export type Identity = ${typeOf(schemaOf(identitySchema))};`,
    '',
  ].join('\n');
}

type Schema = {
  readonly type?: string | undefined;
  readonly const?: string | number | boolean | null | undefined;
  readonly enum?: readonly (string | number | boolean | null)[] | undefined;
  readonly items?: Schema | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
};

const literal = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const jsonSchema: z.ZodType<Schema> = z.object({
  type: z.string().optional(),
  const: literal.optional(),
  enum: z.array(literal).optional(),
  get items() {
    return jsonSchema.optional();
  },
  get properties() {
    return z.record(z.string(), jsonSchema).optional();
  },
  required: z.array(z.string()).optional(),
});

const schemaOf = (schema: z.ZodType): Schema =>
  jsonSchema.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));

/** What is not known here may be anything: the agent checks it. */
function typeOf(schema: Schema, indent = ''): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'number':
    case 'boolean':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${typeOf(schema.items ?? {}, indent)})[]`;
    case 'object': {
      const inner = `${indent}  `;
      const lines = Object.entries(schema.properties ?? {}).map(([name, part]) => {
        const isNeeded = schema.required?.includes(name) === true;
        return `${inner}readonly ${name}${isNeeded ? '' : '?'}: ${typeOf(part, inner)};\n`;
      });
      return `{\n${lines.join('')}${indent}}`;
    }
    default:
      return 'unknown';
  }
}

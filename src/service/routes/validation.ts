// Checks requests against the zod schema of their route. What does not fit is answered with the place, what was received and what is accepted.
import type { FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { invalidRequest } from './errors.ts';

const MAX_PROBLEMS = 3;
const MAX_SHOWN = 60;

export const compileValidator: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data) => {
    // No body at all means the same as a body without fields.
    const given = httpPart === 'body' && data === null ? undefined : data;
    const result = schema.safeParse(given, { reportInput: true });
    if (result.success) return { value: result.data };
    return { error: invalidRequest(...result.error.issues.slice(0, MAX_PROBLEMS).map(describe)) };
  };

function describe(issue: z.core.$ZodIssue): string {
  const place = issue.path.map((part, index) =>
    typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`,
  );
  const isHidden = issue.path.some((part) => SECRET_NAME.test(String(part)));
  const received = isHidden ? 'a value that is not shown' : show(issue.input);
  const said = issue.code === 'custom' ? issue.message : `received ${received}, ${issue.message}`;
  return `${place.join('') || 'body'}: ${said}`;
}

/** Nothing that we take needs more; what is deeper would exhaust the stack of whoever walks it. */
const MAX_DEPTH = 64;

/** Whether brackets of a JSON text are nested deeper than anything we take. Looks at the text only, so it costs one pass and no stack. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (isText) {
      if (char === '\\') at++;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === '{' || char === '[') {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === '}' || char === ']') depth--;
  }
  return false;
}

/** Fields whose values are not repeated, not even to who sent them: answers end up in logs of clients. */
const SECRET_NAME = /password|secret|token/i;
const hideSecrets = (name: string, value: unknown) => (SECRET_NAME.test(name) ? '***' : value);

/** A received value as it may be shown: short, without passwords, whatever was sent. */
export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value, hideSecrets);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** An object that takes these fields only, and says which when another one comes. */
export function closedObject<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has no field ${(issue.keys ?? []).map(show).join(', ')}; accepted: ${Object.keys(shape).join(', ')}`
        : undefined,
  });
}

// Checks requests against the zod schema of their route. The answer to what does not fit names the path, what was
// received and what is accepted.
import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { ConfigError, type Problem } from '../../../base/errors.ts';
import { SECRET_NAME } from '../../../model/task.ts';
import { show } from '../../../wire/api/forms.ts';
import { invalidRequest } from './errors.ts';

const MAX_PROBLEMS = 3;

export const compileValidator: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data) => {
    // No body at all means the same as a body without fields.
    const given = httpPart === 'body' && data === null ? undefined : data;
    const result = schema.safeParse(given, { reportInput: true, error: accepted });
    if (result.success) return { value: result.data };
    const whole = httpPart === 'querystring' ? 'parameters' : 'body';
    const problems = problemsOf(result.error, whole).slice(0, MAX_PROBLEMS);
    return { error: invalidRequest(...problems.map(({ path, message }) => `${path}: ${message}`)) };
  };

/** The value by the schema; throws ConfigError with every problem, where what is wrong comes from the command line. */
export function parseGiven<S extends z.ZodType>(schema: S, given: unknown, attempt: string): z.output<S> {
  const result = schema.safeParse(given, { reportInput: true, error: accepted });
  if (result.success) return result.data;
  throw new ConfigError(attempt, problemsOf(result.error, 'body'));
}

/** `whole` = the name of what has the fields. */
const problemsOf = ({ issues }: z.ZodError, whole: string): Problem[] => issues.map((issue) => describe(issue, whole));

/** What schemas without a text of their own accept; undefined leaves it to the library. */
function accepted(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `accepted: ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `accepted: ${issue.values.map(String).join(', ')}`;
    default:
      return undefined;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

function describe(issue: z.core.$ZodIssue, whole: string): Problem {
  const path = issue.path.map((part, index) =>
    typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`,
  );
  const isHidden = issue.path.some((part) => SECRET_NAME.test(String(part)));
  const received = isHidden ? 'a value that is not shown' : show(receivedOf(issue));
  const text = issue.code === 'custom' ? issue.message : `received ${received}, ${issue.message}`;
  return { path: path.join('') || whole, message: text };
}

/** Where one field decides between forms, the path is that of the field and the input is the object around it. */
function receivedOf(issue: z.core.$ZodIssue): unknown {
  const { input } = issue;
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return input;
  return typeof input === 'object' && input !== null ? Reflect.get(input, issue.discriminator) : input;
}

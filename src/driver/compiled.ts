// Checks of answers that are fast where many miners give such answers, and cost a start nothing where none does.
import { z } from 'zod';

/**
 * After so many answers. To compile the check of a family takes some 5 ms, and most farms have few of the families that
 * the program knows.
 */
const WORTH_COMPILING = 32;

/** `safeParse` of the schema, which is compiled when it has been used often. */
export function compiledWhenUsed<S extends z.ZodType>(
  schema: S,
): (value: unknown) => z.ZodSafeParseResult<z.output<S>> {
  let uses = 0;
  let compiled: S | undefined;
  return (value) => {
    if (compiled !== undefined) return compiled.safeParse(value);
    if (++uses > WORTH_COMPILING) compiled = z.compile(schema);
    return schema.safeParse(value, { jitless: true });
  };
}

// Fields that a client may leave out of a body: `null` means the same. It is no form for fields where null has a
// meaning.
import type { z } from 'zod';

/** Undefined when the field is not there or null. */
export const orNull = <S extends z.ZodType>(schema: S) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();

/** `fallback` when the field is not there or null. */
export const orDefault = <S extends z.ZodType, const F extends z.util.JSONType>(schema: S, fallback: F) =>
  schema
    .nullish()
    .transform((value) => value ?? fallback)
    .meta({ default: fallback });

// The forms that bodies of requests are made of: closed objects, ids, times, and operator objects of searches. Each
// says what it accepts.
import { z } from 'zod';
import { SECRET_NAME } from '../../model/task.ts';
import { orNull } from '../../model/tasks/or-null.ts';

const MAX_SHOWN = 60;
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

/**
 * For `refine` on a closed object: looks at what has no other problem. A field that is not taken is left out of what a
 * rule sees, and would make it say that nothing was received.
 */
export const ofGoodFields = { when: ({ issues }: { readonly issues: readonly unknown[] }) => issues.length === 0 };

/** A closed object of optional fields that takes no object without any of them. */
export const atLeastOneOf = <S extends z.core.$ZodLooseShape>(shape: S) =>
  closedObject(shape)
    .refine((object) => Object.values(object).some((value) => value !== undefined), {
      ...ofGoodFields,
      error: `received {}, accepted: an object with at least one of ${Object.keys(shape).join(', ')}`,
    })
    .meta({ minProperties: 1 });

/** Ids that the service makes are uuids in small letters; uuids mean the same in either case. */
export const UUID = /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

/** The one way of writing it; what is no uuid stays as it is. */
export const canonicalId = (text: string): string => (UUID.test(text) ? text.toLowerCase() : text);

/** An id in a path: any text, which then finds something or nothing; `givenId` the same in a body. */
export const anyId = z.string().overwrite(canonicalId);
export const givenId = anyId.max(128);

/** Keeps statements within what databases take. */
const MAX_VALUES = 1_000;

/** `eq`, `ne`, `in`, `nin` over values of one kind. */
export function valueFilter<S extends z.ZodType<string>>(value: S) {
  const values = z.array(value).min(1).max(MAX_VALUES);
  return atLeastOneOf({ eq: orNull(value), ne: orNull(value), in: orNull(values), nin: orNull(values) });
}

const TIME = 'accepted: an ISO 8601 time in UTC such as 2026-01-31T12:00:00Z';
const zuluTime = z.iso.datetime();

/** The time with `T` and `Z`, from any spelling of UTC; undefined when it is no time, or not in UTC. */
export function toUtc(text: string): string | undefined {
  const spelt = text.replace(/^(\d{4}-\d{2}-\d{2})t/, '$1T').replace(/(z|[+-]00(:?00)?)$/, 'Z');
  return zuluTime.safeParse(spelt).success ? spelt : undefined;
}

/** A time in a body: any spelling of UTC, as `Z`. */
export const isoUtc = z
  .string({ error: TIME })
  .transform((text, context) => {
    const time = toUtc(text);
    if (time !== undefined) return time;
    context.addIssue({ code: 'custom', message: `received ${show(text)}, ${TIME}` });
    return z.NEVER;
  })
  .meta({ format: 'date-time' });

/** `eq`, `ne`, `gt`, `gte`, `lt`, `lte` over times; as ms. */
export function dateFilter() {
  const bound = orNull(isoUtc.transform((text) => Date.parse(text)).meta({ format: 'date-time' }));
  return atLeastOneOf({ eq: bound, ne: bound, gt: bound, gte: bound, lt: bound, lte: bound });
}

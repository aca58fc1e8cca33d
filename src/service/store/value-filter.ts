// Operator objects on one column: eq, ne, in, nin for values, gt, gte, lt, lte for times. All operators given must
// hold.
import { type ExpressionBuilder, type ExpressionWrapper, type ReferenceExpression, type SqlBool, sql } from 'kysely';
import type { Tables } from './schema.ts';

export type ValueFilter<T extends string = string> = {
  readonly eq?: T | undefined;
  readonly ne?: T | undefined;
  readonly in?: readonly T[] | undefined;
  readonly nin?: readonly T[] | undefined;
};

/** Bounds in ms since the epoch. */
export type TimeFilter = {
  readonly eq?: number | undefined;
  readonly ne?: number | undefined;
  readonly gt?: number | undefined;
  readonly gte?: number | undefined;
  readonly lt?: number | undefined;
  readonly lte?: number | undefined;
};

const OPERATORS = {
  eq: '=',
  ne: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  in: 'in',
  nin: 'not in',
} as const;
const NAMES = [
  'eq',
  'ne',
  'in',
  'nin',
  'gt',
  'gte',
  'lt',
  'lte',
] as const satisfies readonly (keyof typeof OPERATORS)[];
type Bounds = { readonly [N in keyof typeof OPERATORS]?: string | number | readonly string[] | undefined };

/** Of a filter on values or on times; absent = no conditions. */
export function conditions<T extends keyof Tables>(
  eb: ExpressionBuilder<Tables, T>,
  column: ReferenceExpression<Tables, T>,
  filter: ValueFilter | TimeFilter = {},
): ExpressionWrapper<Tables, T, SqlBool>[] {
  const bounds: Bounds = filter;
  return NAMES.flatMap((name) => {
    const bound = bounds[name];
    if (bound === undefined) return [];
    return [eb(column, OPERATORS[name], typeof bound === 'object' ? sql`(${sql.join(bound)})` : sql`${bound}`)];
  });
}

/** The same on a value at hand. */
export function isMatch<T extends string>(filter: ValueFilter<T>, value: T): boolean {
  return (
    (filter.eq === undefined || filter.eq === value) &&
    (filter.ne === undefined || filter.ne !== value) &&
    (filter.in === undefined || filter.in.includes(value)) &&
    (filter.nin === undefined || !filter.nin.includes(value))
  );
}

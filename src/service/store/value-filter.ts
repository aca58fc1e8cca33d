// Operator objects on one column: eq, ne, in, nin for values, gt, gte, lt, lte for times. All operators given must hold.
import type { ExpressionBuilder, ExpressionWrapper, ReferenceExpression, SqlBool } from 'kysely';
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

const TIME_OPERATORS = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const TIME_NAMES = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const satisfies readonly (keyof TimeFilter)[];

export function valueConditions<T extends keyof Tables>(
  eb: ExpressionBuilder<Tables, T>,
  column: ReferenceExpression<Tables, T>,
  filter: ValueFilter,
): ExpressionWrapper<Tables, T, SqlBool>[] {
  const all: ExpressionWrapper<Tables, T, SqlBool>[] = [];
  if (filter.eq !== undefined) all.push(eb(column, '=', eb.val(filter.eq)));
  if (filter.ne !== undefined) all.push(eb(column, '<>', eb.val(filter.ne)));
  if (filter.in !== undefined)
    all.push(
      eb(
        column,
        'in',
        filter.in.map((value) => eb.val(value)),
      ),
    );
  if (filter.nin !== undefined)
    all.push(
      eb(
        column,
        'not in',
        filter.nin.map((value) => eb.val(value)),
      ),
    );
  return all;
}

export function timeConditions<T extends keyof Tables>(
  eb: ExpressionBuilder<Tables, T>,
  column: ReferenceExpression<Tables, T>,
  filter: TimeFilter,
): ExpressionWrapper<Tables, T, SqlBool>[] {
  return TIME_NAMES.flatMap((name) => {
    const bound = filter[name];
    return bound === undefined ? [] : [eb(column, TIME_OPERATORS[name], eb.val(bound))];
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

// The v1 envelope and its pagination, as values for the answers and as schemas for OpenAPI and the tests.
import { z } from 'zod';
import type { Window } from '../../store/store.ts';
import { named } from '../openapi.ts';

const paginationSchema = named(
  'Pagination',
  z.strictObject({
    total: z.number().meta({ description: 'Total number of items' }),
    limit: z.number().meta({ description: 'Maximum items per page' }),
    offset: z.number().meta({ description: 'Items skipped' }),
    hasNext: z.boolean(),
    hasPrevious: z.boolean(),
  }),
);
export type Pagination = z.infer<typeof paginationSchema>;

export const listOf = <S extends z.ZodType>(item: S) =>
  z.strictObject({
    success: z.literal(true),
    data: z.array(item),
    pagination: paginationSchema,
    error: z.null(),
  });

export function paginate({ limit, offset }: Window, total: number): Pagination {
  return { total, limit, offset, hasNext: offset + limit < total, hasPrevious: offset > 0 && total > 0 };
}

/** `page` and `limit` of a search body. */
export const searchPage = {
  page: z.int().min(1).default(1),
  limit: z.int().min(1).max(10_000).default(10),
};

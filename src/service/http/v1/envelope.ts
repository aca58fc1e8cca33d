// The v1 envelope and its pagination, as values for the answers and as schemas for OpenAPI and the tests.
import { z } from 'zod';
import { orDefault } from '../../../model/tasks/or-null.ts';
import { named } from '../../../wire/api/components.ts';
import { envelopeOf } from '../../../wire/api/envelope.ts';
import type { Window } from '../../store/store.ts';
import { goodPage, paginateV1 } from '../shared/envelope.ts';
import { wholeNumber } from '../shared/parameters.ts';

const MAX_PAGE_SIZE = 10_000;

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

export const listOf = <S extends z.ZodType>(item: S) => envelopeOf(z.array(item), { pagination: paginationSchema });

export const goodList = <T>(data: readonly T[], window: Window, total: number) =>
  goodPage(data, paginateV1(window, total));

/** `page` and `pageSize` of a GET list; `items` = what is on the pages. */
export const pageShape = (items: string) => ({
  page: wholeNumber({ min: 1, fallback: 1, description: 'Pages count from 1' }),
  pageSize: wholeNumber({ min: 1, max: MAX_PAGE_SIZE, fallback: 10, description: `${items} per page` }),
});

/** `page` and `limit` of a search body. */
export const searchPage = {
  page: orDefault(z.int().min(1), 1),
  limit: orDefault(z.int().min(1).max(MAX_PAGE_SIZE), 10),
};

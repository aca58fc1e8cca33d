// The v2 envelope and its pages, as values for the answers, as parameters, and as schemas for OpenAPI and the tests.
import { z } from 'zod';
import type { Window } from '../../store/store.ts';
import { named } from '../openapi.ts';
import { envelopeOf, goodPage } from '../shared/envelope.ts';
import { toWindow, wholeNumber } from '../shared/parameters.ts';

const MAX_PAGE_SIZE = 10_000;
const DEFAULT_PAGE_SIZE = 20;

/** The next page exists while `page < total_pages`. */
const pageSchema = named(
  'PaginationV2',
  z.strictObject({
    total: z.number().meta({ description: 'Total number of items' }),
    page: z.number().meta({ description: 'Pages count from 1' }),
    page_size: z.number().meta({ description: 'Maximum items per page' }),
    total_pages: z.number(),
  }),
);
export const listOf = <S extends z.ZodType>(item: S) => envelopeOf(z.array(item), { pagination: pageSchema });

/** The page that a client asks for. */
export type PageQuery = { readonly page: number; readonly page_size: number };

export const windowOf = ({ page, page_size }: PageQuery): Window => toWindow(page, page_size);

export function paginate({ page, page_size }: PageQuery, total: number): z.infer<typeof pageSchema> {
  return { total, page, page_size, total_pages: Math.ceil(total / page_size) };
}

export const goodList = <T>(data: readonly T[], query: PageQuery, total: number) =>
  goodPage(data, paginate(query, total));

/** `page` and `page_size` of a GET list. */
export const pageShape = {
  page: wholeNumber({ min: 1, fallback: 1, description: 'Pages count from 1' }),
  page_size: wholeNumber({ min: 1, max: MAX_PAGE_SIZE, fallback: DEFAULT_PAGE_SIZE, description: 'Items per page' }),
};

/** The same of a search body. */
export const searchPage = {
  page: z.int().min(1).default(1),
  page_size: z.int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
};

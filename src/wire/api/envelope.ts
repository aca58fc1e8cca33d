// The envelope of answers, errors included, and the pages of v2.
import { z } from 'zod';
import { orDefault } from '../../model/tasks/or-null.ts';
import { named } from './components.ts';

export const errorSchema = named(
  'Error',
  z.strictObject({
    statusCode: z.int().meta({ description: 'The HTTP status' }),
    message: z.string(),
    error: z.string().meta({ description: 'The name of the status' }),
  }),
);
export type ErrorBody = z.infer<typeof errorSchema>;

export const envelopeOf = <S extends z.ZodType, P extends z.core.$ZodLooseShape>(data: S, pagination: P) =>
  z.strictObject({ success: z.literal(true), data, ...pagination, error: z.null() });

export const answerOf = <S extends z.ZodType>(data: S) => envelopeOf(data, {});

export const MAX_PAGE_SIZE = 10_000;
export const DEFAULT_PAGE_SIZE = 20;

/** The next page exists while `page < total_pages`. */
export const pageSchema = named(
  'PaginationV2',
  z.strictObject({
    total: z.number().meta({ description: 'Total number of items' }),
    page: z.number().meta({ description: 'Pages count from 1' }),
    page_size: z.number().meta({ description: 'Maximum items per page' }),
    total_pages: z.number(),
  }),
);
export const listOf = <S extends z.ZodType>(item: S) => envelopeOf(z.array(item), { pagination: pageSchema });

/** The page that the body of a search asks for. */
export const searchPage = {
  page: orDefault(z.int().min(1), 1),
  page_size: orDefault(z.int().min(1).max(MAX_PAGE_SIZE), DEFAULT_PAGE_SIZE),
};

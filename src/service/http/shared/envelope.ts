// The envelope of good answers and the pagination of both versions, as values; times as every answer writes them.
import type { z } from 'zod';
import type { pageSchema } from '../../../wire/api/envelope.ts';
import type { Window } from '../../store/store.ts';

export const good = <T>(data: T) => ({ success: true as const, data, error: null });

/** A page of a list; `pagination` is that of the version, here and in the schema. */
export const goodPage = <T, P>(data: readonly T[], pagination: P) => ({
  success: true as const,
  data,
  pagination,
  error: null,
});

export const toIso = (ms: number): string => new Date(ms).toISOString();

/** Of what has happened: not later than now, also where our clock was set back since. */
export const toPastIso = (ms: number, nowMs: number): string => toIso(Math.min(ms, nowMs));
export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

/** The page that a client of v2 asks for. */
export type PageQuery = { readonly page: number; readonly page_size: number };

/** As the schema in v1/envelope.ts says. */
export function paginateV1({ limit, offset }: Window, total: number) {
  return { total, limit, offset, hasNext: offset + limit < total, hasPrevious: offset > 0 && total > 0 };
}

export function paginateV2({ page, page_size }: PageQuery, total: number): z.infer<typeof pageSchema> {
  return { total, page, page_size, total_pages: Math.ceil(total / page_size) };
}

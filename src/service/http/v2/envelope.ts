// The pages of v2, as values for the answers and as parameters.
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../../wire/api/envelope.ts';
import type { Window } from '../../store/store.ts';
import { goodPage, type PageQuery, paginateV2 } from '../shared/envelope.ts';
import { toWindow, wholeNumber } from '../shared/parameters.ts';

export const windowOf = ({ page, page_size }: PageQuery): Window => toWindow(page, page_size);

export const goodList = <T>(data: readonly T[], query: PageQuery, total: number) =>
  goodPage(data, paginateV2(query, total));

/** `page` and `page_size` of a GET list. */
export const pageShape = {
  page: wholeNumber({ min: 1, fallback: 1, description: 'Pages count from 1' }),
  page_size: wholeNumber({ min: 1, max: MAX_PAGE_SIZE, fallback: DEFAULT_PAGE_SIZE, description: 'Items per page' }),
};

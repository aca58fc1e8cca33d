// From pages, as clients count them, to windows, as the store reads them; and times as every answer writes them.
import type { Window } from '../store/store.ts';

/** Pages count from 1. The offset stays a number that databases can read, however far the page. */
export function toWindow(page: number, limit: number): Window {
  return { limit, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) };
}

export const toIso = (ms: number): string => new Date(ms).toISOString();

// The part of an audit trail that a person has read so far, newest first. It has no gaps.
import type { AuditEntry, AuditPage } from '../../../wire/api/audit.ts';

export type Trail = {
  readonly entries: readonly AuditEntry[];
  /** After which entry the older ones go on; null = there are none. */
  readonly older: string | null;
};

type Page = Pick<AuditPage, 'data' | 'pagination'>;

/** The newest page, asked once more. Where it does not reach what was read before, that is let go. */
export function withNewest(had: Trail | undefined, { data, pagination: { next } }: Page): Trail {
  const fresh: Trail = { entries: data, older: next };
  const oldest = data.at(-1)?.seq;
  if (had === undefined || next === null || oldest === undefined) return fresh;
  if (!had.entries.some(({ seq }) => seq === oldest)) return fresh;
  return { entries: [...data, ...had.entries.filter(({ seq }) => seq < oldest)], older: had.older };
}

/** The page that was asked for with `after`. */
export function withOlder(had: Trail, after: string, { data, pagination: { next } }: Page): Trail {
  // What was read before was let go meanwhile.
  if (had.older !== after) return had;
  return { entries: [...had.entries, ...data], older: next };
}

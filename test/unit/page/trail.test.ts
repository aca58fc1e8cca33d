// What is shown of an audit trail has no gaps, however it grows while it is read.
import { expect, test } from 'vitest';
import { type Trail, withNewest, withOlder } from '../../../src/page/screens/audit/trail.ts';
import type { AuditEntry, AuditPage } from '../../../src/wire/api/audit.ts';

const entry = (seq: number): AuditEntry => ({
  ...{ seq, at: '2026-01-01T00:00:00.000Z', action: 'key.created', hash: '' },
  ...{ actor: { type: 'user', id: 'ada', name: 'Ada' }, subject: {}, detail: {} },
});
/** As the service answers: `from` down to `to`. */
const page = (from: number, to: number, next: string | null = String(to)): Pick<AuditPage, 'data' | 'pagination'> => ({
  data: Array.from({ length: from - to + 1 }, (_, index) => entry(from - index)),
  pagination: { next },
});
const seqs = ({ entries }: Trail) => entries.map(({ seq }) => seq);

test('older pages follow, and new entries come before them', () => {
  const first = withNewest(undefined, page(9, 7));
  const more = withOlder(first, '7', page(6, 4));
  expect(seqs(more)).toEqual([9, 8, 7, 6, 5, 4]);
  const grown = withNewest(more, page(10, 8));
  expect(seqs(grown)).toEqual([10, 9, 8, 7, 6, 5, 4]);
  expect(grown.older).toBe('4');
  const whole = withOlder(grown, '4', page(3, 1, null));
  expect(seqs(whole)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(whole.older).toBeNull();
});

test('when more was done than a page holds, what was read before is let go', () => {
  const had = withOlder(withNewest(undefined, page(9, 7)), '7', page(6, 4));
  const fresh = withNewest(had, page(20, 18));
  expect(seqs(fresh)).toEqual([20, 19, 18]);
  // The answer to a question of before.
  expect(withOlder(fresh, '4', page(3, 1, null))).toBe(fresh);
});

test('a trail of one page, and an empty one', () => {
  expect(withNewest(withNewest(undefined, page(3, 1, null)), page(4, 1, null))).toMatchObject({ older: null });
  expect(withNewest(undefined, { data: [], pagination: { next: null } })).toEqual({ entries: [], older: null });
});

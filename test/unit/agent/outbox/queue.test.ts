// Which records of the queue go into one slice.
import { expect, test } from 'vitest';
import { fitting } from '../../../../src/agent/outbox/queue.ts';
import { MAX_BODY_BYTES, toEntry } from '../../../../src/agent/outbox/storage/slice.ts';
import { sample } from './farm-records.ts';

const entry = toEntry(sample(1, 0));
const at = (offsetMs: number | undefined, bytes = 100) => ({ entry: { ...entry, bytes }, offsetMs });

test('as many as are allowed, and as fit the bytes of a slice; the first goes whatever its size', () => {
  expect(fitting([at(0), at(0), at(0)], 2)).toEqual({ taken: 2, bytes: 200, offsetMs: 0 });
  expect(fitting([at(0, MAX_BODY_BYTES), at(0)], 9)).toMatchObject({ taken: 1, bytes: MAX_BODY_BYTES });
  expect(fitting([at(0, MAX_BODY_BYTES - 100), at(0), at(0)], 9).taken).toBe(2);
  expect(fitting([at(0, 2 * MAX_BODY_BYTES), at(0)], 9).taken).toBe(1);
  expect(fitting([], 9)).toEqual({ taken: 0, bytes: 0, offsetMs: undefined });
});

test('records that were dated before and after a step of the clock are not mixed; a gap without a date goes with either', () => {
  expect(fitting([at(0), at(undefined), at(3), at(3_600_000)], 9)).toMatchObject({ taken: 3, offsetMs: 0 });
  expect(fitting([at(undefined), at(3_600_000)], 9)).toMatchObject({ taken: 2, offsetMs: 3_600_000 });
});

// The heap gives the earliest first, whatever is pushed, moved and taken out.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueHeap } from '../../../../src/agent/poll/due-heap.ts';

test('property: it behaves as a sorted list', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('push' as const), dueMs: fc.integer({ min: -5, max: 50 }) }),
    fc.record({ kind: fc.constant('pop' as const) }),
    fc.record({ kind: fc.constant('remove' as const), nth: fc.nat() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const heap = new DueHeap<{ dueMs: number; heapIndex: number }>();
      const model: { dueMs: number; heapIndex: number }[] = [];
      for (const next of steps) {
        if (next.kind === 'push') {
          const item = { dueMs: next.dueMs, heapIndex: -1 };
          heap.push(item);
          model.push(item);
        } else if (next.kind === 'pop') {
          const least = Math.min(...model.map(({ dueMs }) => dueMs));
          const item = heap.pop();
          expect(item?.dueMs).toBe(model.length === 0 ? undefined : least);
          if (item !== undefined) model.splice(model.indexOf(item), 1);
        } else {
          const [item] = model.splice(next.nth % Math.max(1, model.length), 1);
          if (item === undefined) continue;
          heap.remove(item);
          heap.remove(item);
          expect(item.heapIndex).toBe(-1);
        }
        expect(heap.size).toBe(model.length);
      }
      const rest = Array.from({ length: heap.size }, () => heap.pop()?.dueMs);
      expect(rest).toEqual(model.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b));
    }),
    { numRuns: 300 },
  );
});

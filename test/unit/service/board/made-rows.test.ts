// The rows that are kept from look to look are those that would be made of all that is known, whatever passed between.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ReportedRow } from '../../../../src/model/board/board-row.ts';
import type { SelectableMiner } from '../../../../src/model/selector/selector.ts';
import { MadeRows } from '../../../../src/service/board/made-rows.ts';
import type { BoardMark } from '../../../../src/service/store/store.ts';
import { boardMiner } from '../../model/board/board-miners.ts';

const START_MS = 1_000_000;
const AGENTS = ['agent 1', 'agent 2'] as const;
const ROWS = [1, 2, 3, 4] as const;

const reportedOf = (hashrateHs: number): ReportedRow => {
  const { id: _, key: __, agentId: ___, isUnknown: ____, isOnline: _____, ...rest } = boardMiner(1, { hashrateHs });
  return { ...rest, hasAnswered: true };
};

type Stored = { readonly mark: BoardMark; readonly reported: ReportedRow };
const step = fc.record({
  /** Negative = the clock was set back. */
  passedMs: fc.integer({ min: -20_000, max: 120_000 }),
  heard: fc.subarray([...AGENTS]),
  changed: fc.array(
    fc.record({
      rowId: fc.constantFrom(...ROWS),
      agentId: fc.constantFrom(...AGENTS, null),
      staleInMs: fc.option(fc.integer({ min: -10_000, max: 200_000 }), { nil: null }),
      rack: fc.constantFrom('C01', null),
    }),
    { maxLength: 3 },
  ),
  isWhole: fc.boolean(),
  gone: fc.subarray([...ROWS]),
});

it('are the same as those of a reader that begins now', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      const kept = new MadeRows();
      const stored = new Map<number, Stored>();
      let nowMs = START_MS;
      let order = 0;
      for (const { passedMs, heard, changed, isWhole, gone } of steps) {
        nowMs += passedMs;
        if (isWhole) for (const rowId of gone) stored.delete(rowId);
        for (const { rowId, agentId, staleInMs, rack } of changed) {
          order += 1;
          const stale_at = staleInMs === null ? null : nowMs + staleInMs;
          const mark: BoardMark = {
            ...{ rowId, id: `miner ${rowId}`, key: null, agentId, opsStatus: null, container: null, rack, position: 1 },
            ...{ order, report: `report ${order}`, created_at: 5, seen_at: 7, stale_at },
          };
          stored.set(rowId, { mark, reported: reportedOf(order) });
        }
        const ofRows = (rowIds: Iterable<number>) => [...new Set(rowIds)].flatMap((rowId) => stored.get(rowId) ?? []);
        const found = ofRows(isWhole ? stored.keys() : changed.map(({ rowId }) => rowId));
        kept.take(lookAt(found, isWhole), new Set(heard), nowMs);
        const anew = new MadeRows();
        anew.take(lookAt(ofRows(stored.keys()), true), new Set(heard), nowMs);
        expect(minersOf(kept)).toEqual(minersOf(anew));
      }
    }),
  );
});

const lookAt = (found: readonly Stored[], isWhole: boolean) => ({
  marks: found.map(({ mark }) => mark),
  reported: new Map(found.map(({ mark, reported }) => [mark.rowId, reported])),
  isWhole,
  next: { others: { count: 0, text: '' }, polls: '', orders: new Map(), othersMs: 0, wholeMs: 0 },
});

const minersOf = ({ rows }: MadeRows): readonly SelectableMiner[] =>
  [...rows.values()].map(({ miner }) => miner).toSorted((a, b) => (a.id < b.id ? -1 : 1));

// The outbox against a model: whatever is done to it in whatever order, what it hands out is what went in, in order, or declared as lost.
// PITHEAD_MODEL_RUNS sets the number of runs.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutbox } from '../../../../src/agent/outbox/outbox.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/schema.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/sqlite.ts';
import { createVirtualClock } from '../../../virtual-clock.ts';
import { contents, makeDir, outcome, sample } from './farm-records.ts';

const RUNS = Number(process.env.PITHEAD_MODEL_RUNS ?? 60);
const SETTINGS = { maxBytes: 4_000, sliceRecords: 4 };

const commands = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('offer' as const), count: fc.integer({ min: 1, max: 9 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('append' as const), samples: fc.integer({ min: 0, max: 3 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('read' as const), maxSlices: fc.integer({ min: 1, max: 12 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('acknowledge' as const),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 3_000 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('damage' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    },
  ),
  { maxLength: 64 },
);

test('stored + declared = produced, in order, without holes, whatever happens', { timeout: 120_000 }, async () => {
  const dir = makeDir();
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(commands, async (steps) => {
        const path = dir.path(`run-${run++}.db`);
        const clock = createVirtualClock();
        const open = () => {
          const db = openSqlite(path, [outboxMigrations]);
          return { db, outbox: createOutbox(db, { clock, log: silentLog, newEpoch: randomUUID, settings: SETTINGS }) };
        };
        let { db, outbox } = open();
        let produced = 0;
        let tasks = 0;
        /** What a peer that stores each sequence number once has got. */
        const stored = new Map<number, ReturnType<typeof contents>>();
        const { epoch } = outbox.source('farm').position();
        const uncertain: number[] = [];
        let crashes = 0;
        let damages = 0;

        const take = (maxSlices: number) => {
          const slices = outbox.read('farm', { maxSlices, maxBytes: 1e9 });
          for (const [index, slice] of slices.entries()) {
            expect(slice.header.epoch).toBe(epoch);
            if (index > 0) expect(slice.header.seq).toBe((slices[index - 1]?.header.seq ?? 0) + 1);
            if (!stored.has(slice.header.seq)) stored.set(slice.header.seq, contents([slice]));
          }
          return slices.at(-1)?.header.seq;
        };

        for (const step of steps) {
          switch (step.do) {
            case 'offer':
              for (let count = 0; count < step.count; count++) outbox.offer(sample(++produced, clock.nowMs()));
              break;
            case 'append':
              await outbox.append([
                ...Array.from({ length: step.samples }, () => sample(++produced, clock.nowMs())),
                outcome(++tasks, clock.nowMs()),
              ]);
              break;
            case 'read':
              take(step.maxSlices);
              break;
            case 'acknowledge': {
              const last = take(10);
              if (last !== undefined) outbox.acknowledge('farm', Math.ceil(last * step.share));
              break;
            }
            case 'wait':
              await clock.advance(step.ms);
              break;
            case 'crash': {
              const { pendingRecords } = outbox.state();
              for (let back = 0; back < pendingRecords; back++) uncertain.push(produced - back);
              crashes++;
              db.close();
              await outbox.close();
              ({ db, outbox } = open());
              break;
            }
            case 'reopen':
              await outbox.close();
              db.close();
              ({ db, outbox } = open());
              break;
            case 'damage': {
              await outbox.flush();
              const row = db.prepare('SELECT max(id) AS id FROM outbox_slices WHERE id >= 1').get();
              const id = Math.ceil(Number(row?.id ?? 0) * step.share);
              const { changes } = db
                .prepare(
                  'UPDATE outbox_slices SET body_crc = body_crc + 1 WHERE id = ? AND id > (SELECT deleted_through FROM outbox_meta)',
                )
                .run(id);
              damages += Number(changes);
              break;
            }
          }
        }
        await outbox.flush();
        for (let last = take(50); last !== undefined; last = take(50)) outbox.acknowledge('farm', last);
        await outbox.flush();

        const seqs = [...stored.keys()].sort((a, b) => a - b);
        expect(seqs).toEqual(seqs.map((_, index) => index + 1));
        const got = seqs.flatMap((seq) => stored.get(seq)?.samples ?? []);
        expect(got).toEqual([...new Set(got)].sort((a, b) => a - b));
        const gaps = seqs.flatMap((seq) => stored.get(seq)?.gaps ?? []);
        expect(gaps.filter(({ from, to }) => from > to)).toEqual([]);
        const declared = gaps.reduce((sum, { count }) => sum + (count ?? 0), 0);
        const gotTasks = seqs.flatMap((seq) => stored.get(seq)?.tasks ?? []);
        if (damages === 0) expect(gotTasks).toEqual(Array.from({ length: tasks }, (_, index) => index + 1));
        const accounted = got.length + (gotTasks.length - tasks) + declared;
        if (crashes === 0 && !gaps.some(({ count }) => count === null)) expect(accounted).toBe(produced);
        else {
          expect(accounted).toBeLessThanOrEqual(produced);
          if (damages === 0) expect(accounted).toBeGreaterThanOrEqual(produced - uncertain.length);
          if (accounted < produced) expect(gaps.some(({ count }) => count === null)).toBe(true);
        }
        db.close();
      }),
      { numRuns: RUNS },
    );
  } finally {
    dir.remove();
  }
});

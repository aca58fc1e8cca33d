// The outbox against a model: whatever is done to it in whatever order, what it hands out is what went in, in order, or
// declared as lost. Fails with the seed and the smallest list of commands that shows it.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { createOutbox } from '../../../../src/agent/outbox/outbox.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/storage/store.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { contents, makeDir, outcome, sample } from './farm-records.ts';

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
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('step' as const), ms: fc.integer({ min: -86_400_000, max: 86_400_000 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('split' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('damage' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    },
  ),
  { maxLength: 64 },
);

export async function checkModel(runs: number, seed?: number): Promise<void> {
  const dir = makeDir({ isQuick: true });
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
        const stored = new Map<string, Map<number, ReturnType<typeof contents>>>();
        /** Every third shows a change. */
        const made = (number: number) => {
          const record = sample(number, clock.nowMs());
          return { ...record, document: { ...record.document, anomaly_flags: number % 3 === 0 ? number : 0 } };
        };
        /** What went out under each number of the outbox. */
        const contentOf = new Map<number, string>();
        const uncertain: number[] = [];
        let crashes = 0;
        let damages = 0;

        /** Reads the epoch of this age, and what the peer then has of it. */
        const take = async (maxSlices: number, age = 0) => {
          const epochs = await outbox.source('farm').epochs();
          const { epoch, ackedSeq } = epochs[age % epochs.length] ?? epochs[0];
          // In the order in which the epochs were made.
          for (const each of epochs) if (!stored.has(each.epoch)) stored.set(each.epoch, new Map());
          const slices = await outbox.source('farm').read({ epoch, afterSeq: ackedSeq, maxSlices, maxBytes: 1e9 });
          for (const [index, slice] of slices.entries()) {
            expect(slice.header.epoch).toBe(epoch);
            if (index > 0) expect(slice.header.seq).toBe((slices[index - 1]?.header.seq ?? 0) + 1);
            const { order = 0, seq } = slice.header;
            expect(contentOf.get(order) ?? `${epoch} ${seq}`).toBe(`${epoch} ${seq}`);
            contentOf.set(order, `${epoch} ${seq}`);
            expect(slice.producedElapsedMs).toBeLessThanOrEqual(clock.elapsedMs());
            const has = stored.get(epoch);
            if (!has?.has(slice.header.seq)) has?.set(slice.header.seq, contents([slice]));
          }
          return { epoch, last: slices.at(-1)?.header.seq };
        };

        for (const step of steps) {
          switch (step.do) {
            case 'offer':
              for (let count = 0; count < step.count; count++) outbox.offer(made(++produced));
              break;
            case 'append':
              await outbox.append([
                ...Array.from({ length: step.samples }, () => made(++produced)),
                outcome(++tasks, clock.nowMs()),
              ]);
              break;
            case 'read':
              await take(step.maxSlices, step.maxSlices);
              break;
            case 'acknowledge': {
              const { epoch, last } = await take(10, Math.round(step.share * 7));
              if (last !== undefined) await outbox.source('farm').acknowledge(Math.ceil(last * step.share), epoch);
              break;
            }
            case 'wait':
              await clock.advance(step.ms);
              break;
            case 'step':
              clock.stepWall(step.ms);
              break;
            case 'split':
              await outbox.source('farm').split();
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
        for (const { epoch } of await outbox.source('farm').epochs()) {
          for (;;) {
            const age = (await outbox.source('farm').epochs()).findIndex((each) => each.epoch === epoch);
            if (age < 0) break;
            const { last } = await take(50, age);
            if (last === undefined) break;
            await outbox.source('farm').acknowledge(last, epoch);
          }
        }
        await outbox.flush();
        expect(outbox.state()).toMatchObject({ slices: 0, backlog: { farm: 0 } });

        for (const slices of stored.values()) {
          const seqs = [...slices.keys()].sort((a, b) => a - b);
          expect(seqs).toEqual(seqs.map((_, index) => index + 1));
        }
        const inOrder = [...stored.values()].flatMap((slices) =>
          [...slices].sort(([a], [b]) => a - b).map(([, slice]) => slice),
        );
        const got = inOrder.flatMap(({ samples }) => samples);
        expect(got).toEqual([...new Set(got)].sort((a, b) => a - b));
        const gaps = inOrder.flatMap((slice) => slice.gaps);
        expect(gaps.filter(({ from, to }) => from > to)).toEqual([]);
        const declared = gaps.reduce((sum, { count }) => sum + (count ?? 0), 0);
        const gotTasks = inOrder.flatMap((slice) => slice.tasks);
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
      { numRuns: runs, ...(seed !== undefined && { seed }) },
    );
  } finally {
    dir.remove();
  }
}

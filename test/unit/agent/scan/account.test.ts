// Every address is in exactly one class, whatever answers, fails, hangs or is cancelled.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Contact } from '../../../../src/agent/scan/plan.ts';
import { runScan } from '../../../../src/agent/scan/scan.ts';
import { readRanges } from '../../../../src/base/net/ranges.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { createNetwork, type Station, stranger, type Who } from './network.ts';

const answer = fc.constantFrom('open' as const, 'refused' as const, 'silent' as const, 'unreachable' as const);
const port = fc.oneof(
  answer,
  fc.array(fc.oneof(answer, fc.constant('error' as const)), { minLength: 1, maxLength: 3 }),
);
const who = fc.constantFrom<Who | 'hangs' | 'throws'>(
  { status: 'identified', name: 'miner' },
  { status: 'login_refused', name: 'locked' },
  stranger,
  'hangs',
  'throws',
);
const station: fc.Arbitrary<Station> = fc.record({
  ports: fc.dictionary(fc.constantFrom('80', '4028', '4433'), port),
  answerMs: fc.integer({ min: 0, max: 1_199 }),
  who: fc.array(who, { minLength: 1, maxLength: 3 }),
  identifyMs: fc.integer({ min: 0, max: 20_000 }),
});
const ip = fc
  .tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 255 }))
  .map(([net, host]) => `10.0.${net}.${host}`);
const range = fc.oneof(
  ip,
  fc.tuple(ip, fc.integer({ min: 25, max: 32 })).map(([from, bits]) => `${from}/${bits}`),
  fc
    .tuple(ip, fc.integer({ min: 0, max: 255 }))
    .map(([from, to]) => `${from}-${Math.max(to, Number(from.split('.')[3]))}`),
);

test('property: the counts add up to the addresses, no address is reported twice, and reports and counts agree', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(range, { minLength: 1, maxLength: 5 }),
      fc.array(range, { maxLength: 3 }),
      fc.uniqueArray(fc.tuple(ip, station), { maxLength: 40, size: 'max', selector: ([address]) => address }),
      fc.uniqueArray(ip, { maxLength: 10, size: 'max' }),
      fc.option(fc.integer({ min: 0, max: 30_000 })),
      fc.record({ maxSockets: fc.integer({ min: 1, max: 200 }), maxIdentifying: fc.integer({ min: 1, max: 16 }) }),
      async (written, exclude, stations, known, cancelAfterMs, limits) => {
        const clock = createVirtualClock();
        const { deps, seen } = createNetwork(clock, new Map(stations));
        const ranges = readRanges(written, exclude);
        const contacts: Contact<Who>[] = [];
        const abort = new AbortController();
        if (cancelAfterMs !== null) clock.after(cancelAfterMs, () => abort.abort());
        const account = await clock.finish(
          runScan({ ranges, known, limits }, deps, { onContact: (contact) => contacts.push(contact) }, abort.signal),
        );
        const { identified, unknown, login_refused, closed, silent, missing } = account.counts;
        const counted = identified + unknown + login_refused + closed + silent + missing;
        expect(counted + account.excluded + account.notReached).toBe(account.addresses);
        expect(account.notReached).toBeGreaterThanOrEqual(0);
        expect(contacts).toHaveLength(counted - silent);
        expect(new Set(contacts.map((contact) => contact.ip)).size).toBe(contacts.length);
        for (const [status, count] of Object.entries(account.counts)) {
          if (status !== 'silent') expect(contacts.filter((contact) => contact.status === status)).toHaveLength(count);
        }
        expect(seen.mostProbing).toBeLessThanOrEqual(Math.max(3, limits.maxSockets));
        expect(seen.mostIdentifying).toBeLessThanOrEqual(limits.maxIdentifying + stations.length);
        if (!account.isCancelled && account.notes === undefined) expect(account.notReached).toBe(0);
      },
    ),
    { numRuns: 150 },
  );
});

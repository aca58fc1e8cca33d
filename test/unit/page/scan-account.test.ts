// What a scan says of its progress and its account, read from evidence that may say less.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classesOf, noCounts } from '../../../src/model/contact.ts';
import { accountOf, progressOf } from '../../../src/page/screens/scan/account.ts';
import { ENGLISH } from '../../../src/page/text/texts.ts';

const sum = (counts: Iterable<number>) => [...counts].reduce((all, count) => all + count, 0);

describe('progress', () => {
  it('is there when the evidence has it', () => {
    expect(progressOf({ progress: { probed: 3, total: 9, found: 1, phase: 'ports' } })).toEqual({
      ...{ probed: 3, total: 9, found: 1 },
    });
    expect(progressOf({ progress: { probed: 3, total: 9 } })).toEqual({ probed: 3, total: 9, found: 0 });
  });

  it.each([
    {},
    { progress: null },
    { progress: 'half' },
    { progress: { probed: '3', total: 9 } },
    { progress: { probed: 3 } },
  ])('is not known from %j', (evidence) => {
    expect(progressOf(evidence)).toBeUndefined();
  });
});

describe('the account', () => {
  const counts = { ...noCounts(), identified: 5, unknown: 4, login_refused: 1, silent: 200 };

  it('names what looks like a miner apart from what is unknown, and leaves out what there is none of', () => {
    const account = { addresses: 216, counts, likely: { 'antminer-stock': 2, vnish: 1 }, excluded: 2, notReached: 4 };
    expect(accountOf({ account: { ...account, notes: ['slow', 7] } })).toEqual({
      addresses: 216,
      classes: [
        { status: 'identified', count: 5 },
        { status: 'unknown', count: 1 },
        { status: 'login_refused', count: 1 },
        { status: 'silent', count: 200 },
        { status: 'likely', count: 3 },
        { status: 'excluded', count: 2 },
        { status: 'not_reached', count: 4 },
      ],
      notes: ['slow'],
    });
  });

  it.each([{}, { account: null }, { account: [] }, { account: { counts } }, { account: { addresses: '7' } }])(
    'is not known from %j',
    (evidence) => {
      expect(accountOf(evidence)).toBeUndefined();
    },
  );

  it.each([{ addresses: 0 }, { addresses: 0, counts: 'x', likely: 'abc', notes: 'no list' }])(
    'holds nothing in %j',
    (account) => {
      expect(accountOf({ account })).toEqual({ addresses: 0, classes: [], notes: [] });
    },
  );

  it('of any scan adds up to its addresses, each class as the command line counts it', () => {
    const some = fc.nat(1_000);
    const scans = fc.record({
      counts: fc.record({
        identified: some,
        unknown: some,
        login_refused: some,
        closed: some,
        silent: some,
        missing: some,
      }),
      likely: fc.dictionary(fc.string(), fc.integer({ min: 1, max: 20 }), { maxKeys: 4 }),
      ...{ excluded: some, notReached: some },
    });
    fc.assert(
      fc.property(scans, ({ counts: drawn, likely, excluded, notReached }) => {
        const all = { ...drawn, unknown: drawn.unknown + sum(Object.values(likely)) };
        const addresses = sum(Object.values(all)) + excluded + notReached;
        const account = accountOf({ account: { addresses, counts: all, likely, excluded, notReached } });
        const classes = account?.classes ?? [];
        expect(sum(classes.map(({ count }) => count))).toBe(account?.addresses);
        const byStatus = new Map<string, number>(classes.map(({ status, count }) => [status, count]));
        for (const { status, count } of Object.values(classesOf({ counts: all, likely })))
          expect(byStatus.get(status) ?? 0, status).toBe(count);
        for (const { status } of classes) expect(ENGLISH.scan.status[status]).toBeDefined();
      }),
    );
  });
});

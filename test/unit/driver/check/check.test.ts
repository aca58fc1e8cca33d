// What the contract says of a driver with one mistake each: proofs that fit too much, readings that are none, a throw.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { unlike } from '../../../../src/driver/check/cases/expected.ts';
import { checkDriver, QUICK_CHECKS } from '../../../../src/driver/check/check.ts';
import type { Finding, Sample } from '../../../../src/driver/check/finding.ts';
import { Families } from '../../../../src/driver/family.ts';
import * as kit from '../../../../src/driver/kit/index.ts';
import type { Family } from '../../../../src/driver/recognition.ts';
import type { ReadRequest } from '../../../../src/transport/request.ts';

const SUMMARY = { SUMMARY: [{ Elapsed: 60, 'MHS 5s': 1_000_000 }] };
const sample: Sample = {
  ...{ name: 'toy-1', known: {}, raw: { summary: SUMMARY }, isReal: true },
  expect: { uptimeS: 60, hashrateHs: 1e12, make: 'Toy' },
};
const OTHERS: readonly Family[] = [{ id: 'neighbour', tcp: [{ words: ['NEIGHBOUR'] }] }];

type Spec = Parameters<typeof kit.defineDriver>[0];

async function findings(changed: Partial<Spec>): Promise<readonly Finding[]> {
  const driver = kit.defineDriver({
    id: 'toy',
    make: 'Toy',
    covers: [{ models: 'Toy One', firmware: '1', evidence: 'recording' }],
    families: [{ id: 'toy', tcp: [{ words: ['TOYMINER'] }] }],
    asks: { summary: { every: 'poll', ...kit.tcp('summary'), needs: 'SUMMARY' } },
    read: ({ summary }) => {
      const row = summary?.row('SUMMARY');
      return row === undefined ? {} : { ...kit.hashrates(row), uptimeS: row.seconds('Elapsed') };
    },
    ...changed,
  });
  const families = new Families([driver, { id: 'neighbour', families: OTHERS }]);
  return checkDriver({ driver, folder: 'toy', families, samples: [sample], exceptions: {} }, QUICK_CHECKS);
}

const seen = async (changed: Partial<Spec>) => (await findings(changed)).map((each) => `${each.check}: ${each.seen}`);

describe('an ask', () => {
  const ask = (request: ReadRequest): Partial<Spec> => ({
    asks: { summary: { every: 'poll', ...kit.tcp('summary'), needs: 'SUMMARY' }, more: { every: 'slow', ...request } },
  });
  test.each([
    ['that restarts', ask(kit.get('/cgi-bin/reboot.cgi')), "more may change the device ('reboot')"],
    ['that stores', ask(kit.tcp('addpool')), "more may change the device ('addpool')"],
    ['with a password in its path', ask(kit.get('/status?user=a&password=b')), 'more has a login in its path'],
    [
      'with a login in its headers',
      ask({ ...kit.get('/status'), headers: { Authorization: 'Basic eA==' } }),
      'more has a login of its own in its headers',
    ],
  ])('%s is a finding', async (_what, changed, wanted) => {
    expect((await seen(changed)).join('\n')).toContain(wanted);
  });
});

test('rates of one machine in two units are a finding', async () => {
  const found = await seen({
    read: ({ summary }) => (summary?.isThere ? { hashrateHs: 1e12, hashrateAverageHs: 1e15, uptimeS: 60 } : {}),
  });
  expect(found.join('\n')).toContain('hashrateHs 1000000000000 H/s beside hashrateAverageHs 1000000000000000 H/s');
});

test('a driver that is right has no findings', async () => {
  expect(await findings({})).toEqual([]);
});

describe('a proof', () => {
  const family = (more: object): Partial<Spec> => ({ families: [{ id: 'toy', ...more }] });
  const page = (shape: z.ZodType) => family({ page: { path: '/status', shape } });
  test.each([
    ['of one letter', family({ tcp: [{ words: ['Z'] }] }), 'proof-words: family toy is proven by any name'],
    [
      'of a mining program',
      family({ tcp: [{ words: ['CGMINER'] }] }),
      'proof-others: family toy is proven by the answer',
    ],
    ['of another family', family({ tcp: [{ words: ['NEIGHB'] }] }), 'the name NEIGHBOUR, which is that of neighbour'],
    ['by an empty shape', page(z.looseObject({})), 'proven by {}'],
    ['by common keys', page(z.looseObject({ uptime: z.number(), hostname: z.string() })), 'the common keys of any'],
    ['by any server', family({ realms: [{ realm: 'x', server: /.*/ }] }), 'the realm "x" on any server'],
  ])('%s is a finding', async (_what, changed, wanted) => {
    expect((await seen(changed)).join('\n')).toContain(wanted);
  });

  test.each([
    ['a hint of one letter', family({ tcp: [{ words: ['TOYMINER'] }, { words: ['Z'], isHint: true }] })],
    ['keys of its own', page(z.looseObject({ toyBoards: z.array(z.unknown()), uptime: z.number() }))],
    ['a realm with its server', family({ realms: [{ realm: 'toy', server: /^toyd/ }] })],
  ])('%s is none', async (_what, changed) => {
    expect(await seen(changed)).toEqual([]);
  });
});

describe('what is read', () => {
  const read = (more: object): Partial<Spec> => ({ read: ({ summary }) => (summary?.isThere ? more : {}) });

  test('a field that no Reading has is named, once, and nothing else is looked at', async () => {
    const found = await findings(read({ powr: 7, boards: [{ slot: 0, chip: 3 }] }));
    expect(found.map((each) => each.seen).toSorted()).toEqual([
      'toy-1: `read` gives `boards[0].chip`, which no Reading has',
      'toy-1: `read` gives `powr`, which no Reading has',
    ]);
    expect(found.map((each) => each.next)).toContainEqual(expect.stringMatching(/pithead-kit.d.ts has for it: powerW/));
  });

  test('a value that no device measures is named with its range', async () => {
    const [found] = await findings(read({ tempC: 12_345 }));
    expect(found?.seen).toContain('`tempC` 12345: Too big: expected number to be <=200');
    expect(found?.next).toContain('look at its unit');
  });

  test('a throw is told with its words', async () => {
    const [found] = await findings({
      read: () => {
        throw new TypeError('row.rateHS is not a function');
      },
    });
    expect(found?.seen).toContain('the driver throws: TypeError: row.rateHS is not a function');
  });

  test.each([
    [{ hashrateHs: 231_400_000_000_000 }, []],
    [{ hashrateHs: 230_000_000_000_000 }, ['hashrateHs is 231402120000000 instead of 230000000000000']],
    [{ psus: [{ model: 'P1' }], errors: [{ code: 'E17' }], expected: { boards: 3 } }, []],
    [{ psus: 1, errors: 1, boards: 2 }, []],
    [{ psus: 2 }, ['psus is 1 instead of 2']],
    [{ psus: [{ model: 'P2' }] }, ['psus[0].model is "P1" instead of "P2"']],
    [{ errors: [{ code: 'E17' }, { code: 'E18' }] }, ['errors has 1 entries instead of 2']],
    [{ expected: { boards: 4, fans: null } }, ['expected.boards is 3 instead of 4']],
    [{ boards: [{ slot: 2, chips: 7 }] }, ['boards[2].chips is 155 instead of 7']],
    [{ fans: null, boards: null }, [expect.stringMatching(/^boards is .* and must not be read$/)]],
    [{ psu: 1 }, [expect.stringContaining('psu is no name of a value')]],
  ])('%j', (wanted, lines) => {
    const reading: kit.Reading = {
      ...{ make: 'Toy', hashrateHs: 231_402_120_000_000, expected: { boards: 3 } },
      boards: [
        { slot: 0, chips: 156 },
        { slot: 2, chips: 155 },
      ],
      psus: [{ model: 'P1', inputPowerW: 5_412 }],
      errors: [{ code: 'E17', category: 'hashboard' }],
    };
    expect(unlike(reading, wanted)).toEqual(lines);
  });

  test('a board and a pool that are missing are named as such', () => {
    const wanted = { boards: [{ slot: 2, chips: 7 }, { chips: 7 }], pools: [{ url: 'stratum+tcp://a' }] };
    expect(unlike({ make: 'Toy' }, wanted)).toEqual([
      'no board is read in slot 2',
      'no board is read at place 1',
      'no pool is read at place 0',
    ]);
    expect(unlike({ make: 'Toy' }, { boards: [{ slot: null }], pools: [{ url: null }] })).toEqual([]);
  });
});

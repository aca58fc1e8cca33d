// The handlers for disputed identities, driven directly: what a person is shown of two units, and what is settled when
// a person names some, all, or units that are not known.
import { expect, test } from 'vitest';
import { createIdentities } from '../../../../../src/agent/control/handlers/identities.ts';
import type { Dispute } from '../../../../../src/agent/fleet/identity/miner-registry.ts';
import type { SettleRequest } from '../../../../../src/agent/fleet/settlement.ts';
import { entryOf } from './entry.ts';

const NOW_MS = Date.UTC(2026, 0, 2);
const miner = entryOf({ ip: null, lastIp: '10.0.0.1', mac: 'AA:00:00:00:00:01', macSource: 'device' });
const claimant = entryOf({
  ...{ key: 'k2', ip: '10.0.0.2', mac: 'AA:00:00:00:00:01', macSource: 'neighbour', boardSerials: 'B1\nB2' },
  ...{ lastSeenMs: NOW_MS + 60_000 },
});
const dispute = (state: Dispute['state']): Dispute => ({ miner, claimant, facts: ['mac'], state, sinceMs: NOW_MS + 5 });

function setUp(disputes: readonly Dispute[] = []) {
  const asked: SettleRequest[] = [];
  const identities = createIdentities({
    clock: { nowMs: () => NOW_MS },
    registry: {
      disputes: () => [...disputes],
      undecided: () => [
        { ip: '10.0.0.7', key: 'k1' },
        { ip: '10.0.0.8', key: 'forgotten' },
      ],
      get: (key) => (key === 'k1' ? miner : undefined),
    },
    settlement: {
      settle(request) {
        asked.push(request);
        const rejected = ['10.0.0.9'];
        return Promise.resolve([{ ip: '10.0.0.2', outcome: 'settled', reason: null, key: 'k1', from: null, rejected }]);
      },
    },
    name: (names) => ({
      miners: names.includes('10.0.0.2') ? [{ key: 'k2', ip: '10.0.0.2', mac: null, serialNumber: null }] : [],
      unknown: names.filter((name) => name !== '10.0.0.2').map((name) => ({ name, reason: 'no such miner' })),
    }),
  });
  return { identities, asked };
}
const { signal } = new AbortController();

test('both units of a dispute are shown, with a time that is never ahead of now', () => {
  const [shown, undecided, ...more] = setUp([dispute('open')]).identities.identities().disputes;
  expect(more).toEqual([]);
  expect(shown).toMatchObject({ facts: ['mac'], state: 'open', since: '2026-01-02T00:00:00.000Z' });
  expect(shown?.miner).toMatchObject({ key: 'k1', ip: '10.0.0.1', mac: 'AA:00:00:00:00:01', boards: 0 });
  expect(shown?.claimant).toMatchObject({ key: 'k2', mac: null, boards: 2, last_seen: '2026-01-02T00:00:00.000Z' });
  expect(undecided).toMatchObject({ state: 'undecided', withheld: ['10.0.0.7'], claimant: { key: null } });
});

test('the addresses that get no login: of both units, after a rejection of the claimant alone', () => {
  const both = { ...dispute('refuted'), miner: entryOf() };
  const withheld = (one: Dispute) => setUp([one]).identities.identities().disputes[0]?.withheld;
  expect(withheld(both)).toEqual(['10.0.0.1', '10.0.0.2']);
  expect(withheld({ ...both, state: 'rejected' })).toEqual(['10.0.0.2']);
  expect(withheld(dispute('open')), 'a miner that answers nowhere').toEqual(['10.0.0.2']);
});

test('all that moved are settled where no unit is named; the name of the person is plain text', async () => {
  const { identities, asked } = setUp();
  const settled = await identities.settle({ dry_run: true, by: 'Ann\u202e\n' }, signal);
  expect(asked).toEqual([{ wanted: 'all', isDryRun: true, by: 'Ann' }]);
  expect(settled).toMatchObject([{ ip: '10.0.0.2', outcome: 'settled', rejected: ['10.0.0.9'] }]);
  await identities.settle({ dry_run: false, by: '\u0007' }, signal);
  expect(asked[1]?.by).toBe('unknown');
});

test('units that are not known are left as they are, with the reason', async () => {
  const { identities, asked } = setUp();
  const settled = await identities.settle({ units: ['10.0.0.2', 'SN9'], dry_run: false, by: 'Ann' }, signal);
  expect(asked[0]?.wanted).toEqual(['k2']);
  expect(settled[1]).toEqual({
    ip: 'SN9',
    outcome: 'left',
    reason: 'no such miner',
    key: null,
    from: null,
    rejected: [],
  });
});

// What of an agent's state is trouble, and what is the ordinary life of a farm.
import { expect, test } from 'vitest';
import { troublesOf } from '../../../../src/agent/control/status.ts';
import { STATE } from './handlers.ts';

const uplink = { name: 'service', url: 'https://p.example', connected_since: null, backlog: 3, skew_ms: null };
const account = { addresses: 1, excluded: 0, notReached: 1, elapsedMs: 1, isCancelled: true };
const counts = { identified: 0, unknown: 0, login_refused: 0, closed: 0, silent: 0, missing: 0 };
const scan = { id: 's', kind: 'manual', started_at: '2026-01-02T03:04:05.000Z' } as const;

test('an agent whose miners are ill is well', () => {
  const miners = { ...STATE.miners, total: 9, answering: 1, silent: 8, flags: { fan: 1 } };
  const scans = { ...STATE.scans, last: { ...scan, account: { ...account, counts } } };
  const connecting = { ...uplink, phase: 'connecting', last_error: null };
  expect(troublesOf({ ...STATE, miners, scans, uplinks: [connecting] }, undefined)).toEqual([]);
});

test('a service that agrees with the clock of this host within a minute is no trouble', () => {
  const online = { ...uplink, phase: 'online', last_error: null, skew_ms: -60_000 };
  expect(troublesOf({ ...STATE, uplinks: [online] }, undefined)).toEqual([]);
});

test.each([
  ['it stands still', {}, 'the next poll is 99 s late'],
  ['1 device waits for a person before it gets its login', { trust: { waiting: 1, fault: null } }, undefined],
  [
    '12 devices wait for a person before they get their login: pithead trust list',
    { trust: { waiting: 12, fault: null } },
    undefined,
  ],
  ['no factory login is tried', { trust: { waiting: 0, fault: 'disk' } }, undefined],
  ['cannot be kept: disk full', { outbox: { ...STATE.outbox, fault: 'disk full' } }, undefined],
  ['no room', { outbox: { ...STATE.outbox, is_full: true } }, undefined],
  [
    'not connected to https://p.example: reset',
    { uplinks: [{ ...uplink, phase: 'waiting', last_error: 'reset' }] },
    undefined,
  ],
  ['https://p.example refuses', { uplinks: [{ ...uplink, phase: 'refused', last_error: 'revoked' }] }, undefined],
  ['no networks', { networks: { ranges: 0, addresses: 0 } }, undefined],
  ['the last scan broke', { scans: { ...STATE.scans, last: { ...scan, account: null } } }, undefined],
  [
    'the clock of this host is 2h ahead of https://p.example: set it, or let this host follow a time server',
    { uplinks: [{ ...uplink, phase: 'online', last_error: null, skew_ms: -7_200_000 }] },
    undefined,
  ],
  [
    'the clock of this host is 1m5s behind https://p.example',
    { uplinks: [{ ...uplink, phase: 'online', last_error: null, skew_ms: 65_000 }] },
    undefined,
  ],
  [
    'the clock of this host was set back by 2h at 2026-01-02T03:04:05Z: what was reported before is dated too late',
    { clock_steps: [{ at: scan.started_at, step_ms: -7_200_000, steps: 1 }] },
    undefined,
  ],
  [
    'the clock of this host was set forward by 1d at 2026-01-02T03:04:05Z: what was reported before is dated too early',
    { clock_steps: [{ at: scan.started_at, step_ms: 86_400_000, steps: 1 }] },
    undefined,
  ],
  [
    'the clock of this host was set 40 times until 2026-01-02T03:04:05Z, back by 2s in all',
    { clock_steps: [{ at: scan.started_at, step_ms: -2_000, steps: 40 }] },
    undefined,
  ],
  [
    '2 devices claim to be other miners, or change who they are: 10.0.0.1, 10.0.0.2; nothing that changes them is sent',
    {
      suspects: [
        { ip: '10.0.0.1', since: scan.started_at, reason: 'changes' as const, claims: null },
        {
          ...{ ip: '10.0.0.2', since: scan.started_at, reason: 'claims' as const },
          claims: { key: 'k', ip: '10.0.0.3', facts: ['mac'], is_rejected: false },
        },
      ],
    },
    undefined,
  ],
  [
    '1 device goes on showing the facts of a miner that it is not, as a person said: 10.0.0.2; nothing that changes them',
    {
      suspects: [
        {
          ...{ ip: '10.0.0.2', since: scan.started_at, reason: 'claims' as const },
          claims: { key: 'k', ip: '10.0.0.3', facts: ['mac'], is_rejected: true },
        },
      ],
    },
    undefined,
  ],
  ['none of the 8 miners answers', { miners: { ...STATE.miners, total: 8, silent: 8 } }, undefined],
])('trouble: %s', (sentence, change, stalled) => {
  expect(troublesOf({ ...STATE, ...change }, stalled)).toEqual([expect.stringContaining(sentence)]);
});

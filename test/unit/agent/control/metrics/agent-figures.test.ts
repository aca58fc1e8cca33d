// The figures of an agent: its state in numbers. What is not known is left out, and nothing that names a miner shows.
import { expect, test } from 'vitest';
import { createAgentFigures } from '../../../../../src/agent/control/metrics/agent-figures.ts';
import type { AgentStatus } from '../../../../../src/agent/control/status-message.ts';
import { renderFigures } from '../../../../../src/base/metrics/figures.ts';
import { STATE } from '../handlers.ts';

const uplink = {
  ...{ name: 'company', url: 'https://p.example/secret', phase: 'online', connected_since: null },
  ...{ last_error: null, backlog: 7, skew_ms: -1_500 },
};
const counts = { identified: 4, unknown: 1, login_refused: 0, closed: 2, silent: 240, missing: 1 };
const account = { addresses: 248, excluded: 0, notReached: 0, elapsedMs: 1, isCancelled: false, counts };

const BUSY: AgentStatus = {
  ...STATE,
  troubles: ['one', 'two'],
  uplinks: [uplink, { ...uplink, name: 'own', phase: 'waiting', backlog: null, skew_ms: null }],
  outbox: { ...STATE.outbox, bytes: 4_096, dropped_records: 3, last_commit_at: '2026-01-02T03:04:05.000Z' },
  miners: { total: 9, answering: 6, silent: 2, unread: 1, hashing: 5, rebooting: 1, flags: { fan: 2, pool: 1 } },
  polls: { in_flight: 2, ok: 100, failed: 4, worst_late_ms: 250 },
  scans: {
    running: [],
    waiting: 0,
    last: { id: 's', kind: 'manual', started_at: '2026-01-02T03:00:00.000Z', account },
  },
  tasks: { waiting: 3, running: 1 },
};

const linesOf = async (figures: ReturnType<typeof createAgentFigures>) =>
  (await renderFigures([figures])).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('the state is shown in numbers', async () => {
  const lines = await linesOf(createAgentFigures(() => BUSY));
  expect(lines).toEqual(
    expect.arrayContaining([
      'pithead_agent_miners{state="answering"} 6',
      'pithead_agent_miners{state="silent"} 2',
      'pithead_agent_miners{state="unread"} 1',
      'pithead_agent_miners_hashing 5',
      'pithead_agent_miners_flagged{flag="fan"} 2',
      'pithead_agent_polls_total{outcome="ok"} 100',
      'pithead_agent_poll_worst_late_seconds 0.25',
      'pithead_agent_outbox_dropped_records_total 3',
      'pithead_agent_outbox_last_commit_timestamp_seconds 1767323045',
      'pithead_agent_uplink_connected{uplink="company"} 1',
      'pithead_agent_uplink_connected{uplink="own"} 0',
      'pithead_agent_uplink_clock_skew_seconds{uplink="company"} -1.5',
      'pithead_agent_scan_addresses{status="silent"} 240',
      'pithead_agent_tasks{state="waiting"} 3',
      'pithead_agent_troubles 2',
    ]),
  );
  expect(lines.join('\n')).not.toMatch(/p\.example|hall 2|\/var\/lib/);
});

test('what is not known is left out, not zero', async () => {
  const lines = await linesOf(createAgentFigures(() => ({ ...BUSY, outbox: STATE.outbox, scans: STATE.scans })));
  const names = lines.map((line) => line.split(/[ {]/)[0]);
  expect(names).not.toContain('pithead_agent_outbox_last_commit_timestamp_seconds');
  expect(names).not.toContain('pithead_agent_scan_addresses');
  expect(names).not.toContain('pithead_agent_scan_started_timestamp_seconds');
  expect(lines).not.toContainEqual(expect.stringMatching(/backlog.*own/));
  expect(lines).toContain('pithead_agent_uplink_backlog_slices{uplink="company"} 7');
});

test('each page shows the state of its moment', async () => {
  let state = BUSY;
  const figures = createAgentFigures(() => state);
  await linesOf(figures);
  state = { ...STATE, polls: { ...STATE.polls, ok: 101 } };
  const lines = await linesOf(figures);
  expect(lines).toContain('pithead_agent_polls_total{outcome="ok"} 101');
  expect(lines.filter((line) => line.startsWith('pithead_agent_miners_flagged'))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('pithead_agent_uplink'))).toEqual([]);
});

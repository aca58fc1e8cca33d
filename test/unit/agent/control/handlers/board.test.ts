// The board of the running agent, driven directly: what it knows of each miner, and what it says that it lacks.
import { expect, test } from 'vitest';
import { drivers } from '../../../../../drivers/index.ts';
import { createAgentBoard } from '../../../../../src/agent/control/handlers/board.ts';
import { type MinerState, newMinerState } from '../../../../../src/agent/fleet/miner-state.ts';
import { VisitMemory } from '../../../../../src/driver/visit/memory.ts';
import { decodeBoard } from '../../../../../src/wire/api/board/codec.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';
import { minerRecord } from '../../../service-http/records.ts';
import { entryOf } from './entry.ts';

const [driver] = drivers.filter(({ id }) => id === 'antminer-stock');
if (driver === undefined) throw new Error('no driver');
const target = (ip: string) => ({ ip, driver, known: {}, memory: new VisitMemory() });

function setUp() {
  const clock = createVirtualClock();
  const miners = new Map<string, MinerState>();
  const add = (key: string, ip: string) => {
    const state = newMinerState(key, target(ip), undefined);
    miners.set(key, state);
    return state;
  };
  const poll = (state: MinerState, n: number, anomaly_flags = 0) => {
    const { document, extras } = minerRecord(n, clock.nowMs(), { document: { ip: state.target.ip, anomaly_flags } });
    state.reported = { document, extras };
    state.judgedMs = clock.monotonicMs();
    state.readAt = { wallMs: clock.nowMs(), elapsedMs: clock.elapsedMs() };
  };
  const registry = { get: (key: string) => entryOf({ key, model: 'known before', mac: '02:00:00:00:00:99' }) };
  const { board } = createAgentBoard({ clock, fleet: { all: () => miners.values() }, registry });
  return { clock, add, poll, board };
}

test('shows each miner by its key, in the order of addresses, one that has not been polled yet as unknown', () => {
  const { add, poll, board } = setUp();
  add('new', '10.0.0.20');
  poll(add('k1', '10.0.0.3'), 1);
  const answer = board({});
  const [first, second] = decodeBoard(answer).miners;
  expect(first).toMatchObject({ id: 'k1', key: 'k1', ip: '10.0.0.3', isOnline: true, isUnknown: false, rack: null });
  expect(first).toMatchObject({ opsStatus: null, driver: 'antminer-stock' });
  expect(first?.abilities).toContain('miner.system.reboot');
  expect(second).toMatchObject({ key: 'new', isOnline: false, isUnknown: true, model: 'known before' });
  expect(second).toMatchObject({ mac: '02:00:00:00:00:99', hashrateHs: null, uptimeS: null, seenAtMs: null });
  expect(answer.lacks).toEqual(['container', 'rack', 'maintenance']);
});

test('answers what has changed, at most a second late, and begins anew a minute after the last request', async () => {
  const { clock, add, poll, board } = setUp();
  const [one, two] = [add('k1', '10.0.0.1'), add('k2', '10.0.0.2')];
  poll(one, 1);
  poll(two, 2);
  const { epoch, seq: since } = board({});
  poll(two, 2, 1);
  expect(board({ epoch, since }).columns.row).toEqual([]);
  await clock.advance(1_000);
  expect(board({ epoch, since })).toMatchObject({ is_snapshot: false, columns: { flags: [1] }, facts: { row: [] } });
  expect(board({ select: 'flag:fan' }).columns.flags).toEqual([1]);
  await clock.advance(60_000);
  expect(board({ epoch, since })).toMatchObject({ is_snapshot: true });
});

test('refuses a selector that it cannot read or that needs a service, and says where to ask', () => {
  const { board } = setUp();
  expect(() => board({ select: 'flag:fam' })).toThrow(expect.objectContaining({ code: 'select.wrong' }));
  const lacking = { code: 'select.lacking', message: expect.stringContaining('--server') };
  expect(() => board({ select: 'rack:C03' })).toThrow(expect.objectContaining(lacking));
});

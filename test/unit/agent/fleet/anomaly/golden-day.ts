// A day of one miner with known faults, minute by minute, as polls would show it.
import type { judge } from '../../../../../src/agent/fleet/anomaly/judge.ts';
import type { SampleContext } from '../../../../../src/agent/fleet/anomaly/sample.ts';
import type { AnomalyType } from '../../../../../src/model/flags/anomaly-types.ts';
import { type Change, healthy, put } from './fixture.ts';

/** In minutes. */
export const DAY = 1_440;
export const hour = (hours: number, minutes = 0): number => hours * 60 + minutes;

type Fault = {
  readonly from: number;
  readonly to: number;
  readonly change?: Change;
  readonly context?: Partial<SampleContext>;
  readonly isSilent?: boolean;
  readonly flags: readonly AnomalyType[];
};

export const overBoards =
  (change: (slot: number) => object): Change =>
  (reading) =>
    put({ boards: (reading.boards ?? []).map((board) => ({ ...board, ...change(board.slot) })) })(reading);

export const FAULTS: readonly Fault[] = [
  {
    from: hour(1),
    to: hour(2),
    flags: ['fan'],
    change: (reading) =>
      put({ fans: (reading.fans ?? []).map((fan) => (fan.index === 1 ? { ...fan, rpm: 0 } : fan)) })(reading),
  },
  {
    from: hour(3),
    to: hour(4, 30),
    flags: ['hashboard', 'low_hashrate'],
    change: (reading) =>
      put({
        boards: (reading.boards ?? []).slice(0, 2),
        hashrateHs: (reading.hashrateHs ?? 0) * 0.66,
        hashrateSettledHs: 73e12,
      })(reading),
  },
  {
    from: hour(6),
    to: hour(6, 40),
    flags: ['pool'],
    change: (reading) => put({ pools: (reading.pools ?? []).map((pool) => ({ ...pool, isAlive: false })) })(reading),
  },
  { from: hour(8), to: hour(8, 25), flags: ['network'], isSilent: true },
  {
    from: hour(10),
    to: hour(10, 45),
    flags: [],
    change: put({
      miningMode: 'sleep',
      isMining: false,
      hashrateHs: 0,
      hashrateSettledHs: 0,
      fans: [{ index: 0, rpm: 0 }],
    }),
  },
  {
    from: hour(15),
    to: hour(15, 40),
    flags: ['temperature'],
    change: overBoards((slot) => (slot === 2 ? { chipTempMaxC: 99 } : {})),
  },
  { from: hour(17), to: hour(17, 30), flags: ['unknown'], change: put({ hashrateHs: 109_876_543_210_987 }) },
  {
    from: hour(19),
    to: hour(20),
    flags: ['firmware'],
    change: put({ errors: [{ code: '100001', category: 'security' }] }),
  },
  { from: hour(21), to: hour(21, 30), flags: ['network'], context: { macState: 'duplicate' } },
  { from: hour(22), to: hour(22, 30), flags: ['power'], change: put({ powerW: 3_900 }) },
];

/** Reboot by us at noon, two of its own after it. */
const BOOTS = [
  { at: hour(12), isOurs: true },
  { at: hour(13), isOurs: false },
  { at: hour(13, 20), isOurs: false },
] as const;
const OUR_REBOOT = { from: hour(12), to: hour(12, 4) };

export function sampleAt(minute: number): Parameters<typeof judge>[1] {
  const boot = BOOTS.findLast(({ at }) => minute >= at);
  const uptimeS = boot === undefined ? 86_400 + minute * 60 : (minute - boot.at) * 60;
  const active = FAULTS.filter((fault) => minute >= fault.from && minute < fault.to);
  const isRebooting = minute >= OUR_REBOOT.from && minute < OUR_REBOOT.to;
  const context = {
    macState: 'ok',
    serialState: 'ok',
    isRebooting,
    // The journal of tasks is asked after a restart, however late it is seen.
    isExplainedRestart: minute >= OUR_REBOOT.from && minute < OUR_REBOOT.to + 15,
    opsMaintenance: false,
    ipChanged: false,
    ...Object.assign({}, ...active.map((fault) => fault.context ?? {})),
  };
  const silentSince =
    active.find((fault) => fault.isSilent)?.from ??
    (isRebooting && minute < OUR_REBOOT.to - 1 ? OUR_REBOOT.from : undefined);
  if (silentSince !== undefined)
    return { kind: 'failed', code: 'peer.timeout', consecutive: minute - silentSince + 1, context };
  const reading = active.reduce((before, fault) => fault.change?.(before) ?? before, healthy(minute, uptimeS));
  return { kind: 'ok', reading, unparsable: [], loginRefused: false, context };
}

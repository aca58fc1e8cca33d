// What a column of a sheet has of each miner: the command line shows the same values on a screen. Pure.
import { type WallClock, wallText } from '../../../base/time/wall-clock.ts';
import { efficiencyOf } from '../../../model/board/algorithm-units.ts';
import { type BoardMiner, flagsOf } from '../../../model/board/board-miner.ts';
import { measuredOf, shareOf } from '../../../model/board/measured.ts';
import { flagWord, modelText, stateText } from '../../../model/board/miner-words.ts';

/** A `Date` is a moment. */
export type SheetValue = string | number | Date | null;

/** When it is, and by which clock moments are said. */
export type SheetTime = { readonly nowMs: number; readonly wallClock: WallClock };

export type SheetColumn = {
  readonly key: string;
  /** A `rate` is in H/s, an `efficiency` in J for one unit of the algorithm's hashrate. */
  readonly kind: 'text' | 'number' | 'time' | 'rate' | 'efficiency';
  readonly value: (miner: BoardMiner, time: SheetTime) => SheetValue;
};

const moment = (atMs: number | null) => (atMs === null ? null : new Date(atMs));

function percentOf(miner: BoardMiner): number | null {
  const share = shareOf(miner);
  return share === null ? null : Math.round(share * 1_000) / 10;
}

/** `07:58` of today, else with the day. */
function sinceText(atMs: number, { nowMs, wallClock }: SheetTime): string {
  const [time, now] = [wallText(wallClock(atMs)), wallText(wallClock(nowMs))];
  return time.slice(time.slice(0, 10) === now.slice(0, 10) ? 11 : 0, 16);
}

function efficiency(miner: BoardMiner): number | null {
  const { powerW, hashrateHs } = measuredOf(miner);
  return efficiencyOf(powerW, hashrateHs, miner.algorithm);
}

/** In the order of a sheet. */
export const SHEET_COLUMNS = [
  { key: 'container', kind: 'text', value: ({ container }) => container },
  { key: 'rack', kind: 'text', value: ({ rack }) => rack },
  { key: 'position', kind: 'number', value: ({ position }) => position },
  { key: 'address', kind: 'text', value: ({ ip }) => ip },
  { key: 'mac', kind: 'text', value: ({ mac }) => mac },
  { key: 'serial', kind: 'text', value: ({ serial }) => serial },
  { key: 'model', kind: 'text', value: modelText },
  { key: 'algorithm', kind: 'text', value: ({ algorithm }) => algorithm },
  { key: 'rate', kind: 'rate', value: (miner) => measuredOf(miner).hashrateHs },
  { key: 'expected', kind: 'rate', value: ({ expectedHs }) => expectedHs },
  { key: 'percent', kind: 'number', value: percentOf },
  { key: 'power', kind: 'number', value: (miner) => measuredOf(miner).powerW },
  { key: 'efficiency', kind: 'efficiency', value: efficiency },
  { key: 'temp', kind: 'number', value: (miner) => measuredOf(miner).tempC },
  { key: 'pool', kind: 'text', value: ({ pool }) => pool },
  { key: 'worker', kind: 'text', value: ({ worker }) => worker },
  {
    ...{ key: 'state', kind: 'text' },
    value: (miner, time) => stateText(miner, time.nowMs, (atMs) => sinceText(atMs, time)),
  },
  { key: 'flags', kind: 'text', value: (miner) => flagsOf(miner).map(flagWord).join(', ') },
  { key: 'since', kind: 'time', value: ({ firstFlag }) => moment(firstFlag?.sinceMs ?? null) },
  { key: 'firmware', kind: 'text', value: ({ firmware }) => firmware },
  { key: 'mode', kind: 'text', value: ({ mode }) => mode },
  { key: 'ops', kind: 'text', value: ({ opsStatus }) => opsStatus },
  { key: 'uptime', kind: 'number', value: (miner) => measuredOf(miner).uptimeS },
  { key: 'seen', kind: 'time', value: ({ seenAtMs }) => moment(seenAtMs) },
  {
    ...{ key: 'age', kind: 'number' },
    value: ({ seenAtMs }, { nowMs }) => (seenAtMs === null ? null : Math.round(Math.max(0, nowMs - seenAtMs) / 1_000)),
  },
  { key: 'first_seen', kind: 'time', value: ({ createdAtMs }) => moment(createdAtMs) },
] as const satisfies readonly SheetColumn[];

export type SheetKey = (typeof SHEET_COLUMNS)[number]['key'];

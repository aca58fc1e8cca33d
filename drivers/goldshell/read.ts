// Turns the answers of one Goldshell into a Reading (atlas 18). TCP tells more than the web; the web stands in where TCP is shut.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, sumOfAll } from '../../src/driver/fields.ts';
import type {
  BoardReading,
  Expectation,
  FanReading,
  MiningMode,
  PoolReading,
  Reading,
} from '../../src/model/reading.ts';
import { poolReadings, positive, present } from '../_families/cgminer.ts';
import { findModel, type Model } from '../_families/models.ts';
import type { DevsRow, Replies, Setting, WebRow } from './replies.ts';

type Row = {
  readonly board: BoardReading;
  /** What it mines, where that is told. */
  readonly kind?: string;
  readonly averageHs?: number;
  readonly estimateHs?: number;
  readonly uptimeS?: number;
  readonly powerW?: number;
  readonly fans: readonly (number | undefined)[];
};

export function read(replies: Replies, known: Known): Reading {
  const reported = replies.status?.model;
  const row = modelOf(reported) ?? modelOf(known.model && `Goldshell ${known.model}`);
  const model = row?.model ?? bareName(reported) ?? known.model;
  const rows = replies.devs?.DEVS?.map(fromTcp) ?? replies.webDevs?.map(fromWeb);
  const boards = rows && withChips(rows, replies.devdetails);
  const { mode, preset } = planOf(replies.setting);
  const sum = (of: (row: Row) => number | undefined) =>
    addUp(rows, model) ? sumOfAll(rows?.map(of) ?? []) : undefined;
  const hashrateHs = sum(({ board }) => board.hashrateHs);
  return present({
    make: 'Goldshell',
    model,
    mac: replies.setting?.name,
    firmwareVersion: replies.status?.firmware,
    controlBoard: replies.status?.mcbversion,

    hashrateHs,
    hashrateWindow: hashrateHs === undefined ? undefined : ('realtime' as const),
    hashrateAverageHs: sum(({ averageHs }) => averageHs),
    powerW: first(...(rows?.map(({ powerW }) => powerW) ?? [])),
    uptimeS: largest(rows?.map(({ uptimeS }) => uptimeS) ?? []),

    isMining: isMining(boards),
    miningMode: mode,
    miningModePreset: preset,
    isLightOn: replies.setting?.ledcontrol,

    tempC: first(
      largest(boards?.map((board) => board.chipTempAvgC) ?? []),
      largest(boards?.flatMap((board) => board.boardTempsC ?? []) ?? []),
    ),
    boards,
    fans: rows && fansOf(rows, row),
    pools: poolReadings(replies.pools?.POOLS) ?? replies.webPools?.flatMap(webPool),
    expected: expectation(row, rows, mode, hashrateHs),
  });
}

/** The boards of a Byte may mine two things at once: such rates do not add up, and without their kinds nobody knows. */
function addUp(rows: readonly Row[] | undefined, model: string | undefined): boolean {
  const kinds = new Set(rows?.map(({ kind }) => kind));
  return kinds.size === 1 && !(model === 'Byte' && kinds.has(undefined));
}

/** `Goldshell-KD5`, `Goldshell KD5`. */
const modelOf = (reported: string | undefined) => findModel('goldshell-stock', reported?.replace('-', ' '));
const bareName = (reported: string | undefined) => reported?.replace(/^goldshell[- ]/i, '');

function fromTcp(row: DevsRow, place: number): Row {
  const tempC = row['tstemp-2'];
  return present({
    board: present({
      slot: slotOf(row.ID ?? row.PGA, place),
      hashrateHs: row['MHS 20s'],
      expectedHashrateHs: ofItsKind(row),
      frequencyMhz: positive(row.clock),
      boardTempsC: tempC === undefined ? undefined : [tempC],
      chipTempAvgC: largest([row['tstemp-0'], row['tstemp-1']]),
      hwErrors: row['Hardware Errors'],
      isAlive: row.Status === undefined ? undefined : row.Status.toLowerCase() === 'alive',
    }),
    kind: row.pool,
    averageHs: row['MHS av'],
    estimateHs: positive(row.estimate_hash_rate),
    uptimeS: row['Device Elapsed'],
    fans: [row.fan0, row.fan1, row.fan2, row.fan3],
  });
}

/** Where the kinds are told the figures are those of the board; elsewhere the estimate is of something else. */
function ofItsKind({ pool, estimate_hash_rate, theory_hash }: DevsRow): number | undefined {
  if (pool === undefined) return undefined;
  return positive(/^zksnark/i.test(pool) ? theory_hash : estimate_hash_rate);
}

function fromWeb(row: WebRow, place: number): Row {
  return present({
    board: present({
      slot: slotOf(row.id, place),
      hashrateHs: row.hashrate,
      boardTempsC: row.temp === undefined ? undefined : [row.temp],
      hwErrors: row.hwerrors,
    }),
    kind: row.kind,
    averageHs: row.av_hashrate,
    uptimeS: row.time,
    powerW: row.power,
    fans: row.fanspeed ?? [],
  });
}

const slotOf = (id: number | undefined, place: number) => (id === undefined || id > 63 ? place : id);

function withChips(rows: readonly Row[], details: Replies['devdetails']): BoardReading[] {
  const chips = new Map(
    (details?.DEVS ?? details?.DEVDETAILS)?.map((row) => [row.DEVDETAILS ?? row.ID, row['chips-nr']]),
  );
  const taken = new Set<number>();
  return rows.flatMap(({ board }) => {
    if (taken.has(board.slot)) return [];
    taken.add(board.slot);
    return [{ ...board, ...present({ chips: positive(chips.get(board.slot)) }) }];
  });
}

function isMining(boards: readonly BoardReading[] | undefined): boolean | undefined {
  const rates = boards?.map((board) => board.hashrateHs) ?? [];
  if (rates.some((rate) => rate !== undefined && rate > 0)) return true;
  return rates.length === 0 || rates.includes(undefined) ? undefined : false;
}

/** Each board tells the fans of the whole machine; places without one read 0. */
function fansOf(rows: readonly Row[], model: Model | undefined): FanReading[] {
  return [0, 1, 2, 3].flatMap((index) => {
    const rpm = first(...rows.map(({ fans }) => fans[index]));
    const exists = index < (model?.expected.fans ?? 0) || positive(rpm) !== undefined;
    return exists && rpm !== undefined ? [{ index, rpm }] : [];
  });
}

/** Levels of plans that we have a word for; the others are presets of their own. */
export const LEVELS = { normal: 0, low: 1, sleep: 3 } as const;

function planOf(setting: Setting | undefined): { readonly mode?: MiningMode; readonly preset?: string } {
  if (setting?.manual === true) return present({ preset: setting.manualPowerplan });
  const { select } = setting ?? {};
  const plan = setting?.powerplans?.find(({ level }) => level === select);
  const mode = (['normal', 'low', 'sleep'] as const).find((word) => LEVELS[word] === select);
  return present({ mode, preset: plan?.info });
}

function webPool(row: NonNullable<Replies['webPools']>[number], place: number): PoolReading[] {
  if (row.url === undefined) return [];
  return [
    present({
      index: row['pool-priority'] ?? place,
      url: row.url,
      user: row.user ?? '',
      isActive: row.active,
    }),
  ];
}

/** Faster than that no machine runs beside its own estimate: some print that of something else. */
const MOST = 1.5;

/** The nameplate holds for the normal plan only. Models that the table does not know may say themselves what they should do. */
function expectation(
  model: Model | undefined,
  rows: readonly Row[] | undefined,
  mode: MiningMode | undefined,
  hashrateHs: number | undefined,
): Expectation | undefined {
  const { hashrateHs: nameplateHs, ...parts } = model?.expected ?? {};
  const [estimateHs, ...others] = rows?.map((row) => row.estimateHs) ?? [];
  const isOfAll = others.length > 0 && others.every((other) => other === estimateHs);
  const isFit = isOfAll && estimateHs !== undefined && (hashrateHs ?? Number.POSITIVE_INFINITY) <= estimateHs * MOST;
  const boardsHs = sumOfAll(rows?.map(({ board }) => board.expectedHashrateHs) ?? []);
  const wantedHs = first(
    nameplateHs,
    addUp(rows, model?.model) ? first(boardsHs, isFit ? estimateHs : undefined) : undefined,
  );
  const wanted = present({ ...parts, hashrateHs: mode === 'normal' ? wantedHs : undefined });
  return Object.keys(wanted).length === 0 ? undefined : wanted;
}

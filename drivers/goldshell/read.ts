// Turns the answers of one Goldshell into a Reading (atlas 18): those that it gives without a login.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, sumOfAll, toText } from '../../src/driver/fields.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import type { BoardReading, Expectation, FanReading, Reading } from '../../src/model/reading.ts';
import { poolReadings, positive, present } from '../_dialects/cgminer.ts';
import type { DevsRow, Replies, WebRow } from './replies.ts';

type Row = {
  readonly board: BoardReading;
  /** What it mines, where that is told. */
  readonly kind?: string;
  readonly averageHs?: number;
  readonly uptimeS?: number;
  readonly fans: readonly (number | undefined)[];
};

export function read(replies: Replies, known: Known): Reading {
  const reported = replies.status?.model;
  const row = modelOf(reported) ?? modelOf(known.model && `Goldshell ${known.model}`);
  const model = row?.model ?? bareName(reported) ?? known.model;
  const found = first(replies.devs?.DEVS?.map(fromTcp), replies.webDevs?.data?.map(fromWeb));
  // An empty list is the answer of a mining program that has not found its boards yet.
  const rows = found?.length === 0 ? undefined : found;
  const boards = rows && withChips(rows, replies.devdetails);
  const sum = (of: (row: Row) => number | undefined) =>
    addUp(rows, model) || rows?.every((row) => of(row) === 0) ? sumOfAll(rows?.map(of) ?? []) : undefined;
  const hashrateHs = sum(({ board }) => board.hashrateHs);
  return present({
    make: 'Goldshell',
    model,
    firmwareVersion: replies.status?.firmware,
    controlBoard: replies.status?.mcbversion,

    hashrateHs,
    hashrateWindow: hashrateHs === undefined ? undefined : ('realtime' as const),
    hashrateAverageHs: sum(({ averageHs }) => averageHs),
    uptimeS: largest(rows?.map(({ uptimeS }) => uptimeS) ?? []),

    isMining: isMining(boards),

    tempC: first(
      largest(boards?.map((board) => board.chipTempAvgC) ?? []),
      largest(boards?.flatMap((board) => board.boardTempsC ?? []) ?? []),
    ),
    boards,
    fans: rows && fansOf(rows, row),
    pools: poolReadings(replies.pools?.POOLS),
    expected: expectation(row),
  });
}

/**
 * The boards of a Byte may mine two things at once: such rates do not add up, and without their kinds it is not known.
 */
function addUp(rows: readonly Row[] | undefined, model: string | undefined): boolean {
  const kinds = new Set(rows?.map(({ kind }) => kind));
  return kinds.size === 1 && !(model === 'Byte' && kinds.has(undefined));
}

/** `Goldshell-KD5`, `Goldshell KD5`. */
const modelOf = (reported: string | undefined) => findModel('goldshell-stock', reported?.replace('-', ' '));
const bareName = (reported: string | undefined) => toText(reported?.replace(/^goldshell[- ]?/i, ''));

/** Sensors that are told by their places; which of them are chips is not known. */
function placesC(row: DevsRow | WebRow, ...others: readonly (number | undefined)[]): number[] | undefined {
  const found = [row.l_temp, row.r_temp, row.t_temp, row.m_temp].flatMap((sensors) => sensors ?? []);
  const all = [...others.filter((tempC) => tempC !== undefined), ...found];
  return all.length === 0 ? undefined : all;
}

/** `Alive` and `Dead`; other words (`Sick`, `NoStart`) say neither. */
function aliveness(status: string | undefined): boolean | undefined {
  const word = status?.toLowerCase();
  return word === 'alive' ? true : word === 'dead' ? false : undefined;
}

/**
 * What `time` counts on the page is not known: no uptime. Of two temperatures the first is of the chips, as `tstemp-0`
 * is on TCP.
 */
function fromWeb(row: WebRow, place: number): Row {
  const { temp = [] } = row;
  const isPair = temp.length === 2;
  return present({
    board: present({
      slot: slotOf(row.id, place),
      hashrateHs: row.hashrate,
      boardTempsC: placesC(row, ...(isPair ? temp.slice(1) : temp)),
      chipTempAvgC: isPair ? temp[0] : undefined,
      hwErrors: row.hwerrors,
    }),
    averageHs: row.av_hashrate,
    fans: row.fanspeed ?? [],
  });
}

function fromTcp(row: DevsRow, place: number): Row {
  return present({
    board: present({
      slot: slotOf(row.ID ?? row.PGA, place),
      hashrateHs: row['MHS 20s'],
      expectedHashrateHs: ofItsKind(row),
      frequencyMhz: positive(row.clock),
      voltageV: row.voltage === undefined ? undefined : row.voltage / 1_000,
      boardTempsC: placesC(row, row['tstemp-2']),
      chipTempAvgC: largest([row['tstemp-0'], row['tstemp-1']]),
      hwErrors: row['Hardware Errors'],
      isAlive: aliveness(row.Status),
    }),
    kind: row.pool,
    averageHs: row['MHS av'],
    uptimeS: row['Device Elapsed'],
    fans: [row.fan0, row.fan1, row.fan2, row.fan3],
  });
}

/** Where the kinds are told the figures are those of the board; elsewhere the estimate is of something else. */
function ofItsKind({ pool, estimate_hash_rate, theory_hash }: DevsRow): number | undefined {
  if (pool === undefined) return undefined;
  return positive(/^zksnark/i.test(pool) ? theory_hash : estimate_hash_rate);
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

/**
 * The nameplate holds for the normal plan only, and which plan is in use is behind the login: no rate is expected but
 * the boards' own.
 */
function expectation(model: Model | undefined): Expectation | undefined {
  const { hashrateHs: _, ...parts } = model?.expected ?? {};
  return Object.keys(parts).length === 0 ? undefined : parts;
}

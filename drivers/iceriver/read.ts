// Turns the answers of one Iceriver into a Reading (atlas 17). Rates of now are of five minutes, and swing by a third;
// the settled ones are of thirty.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, sumOfAll } from '../../src/driver/fields.ts';
import type {
  BoardReading,
  ErrorReading,
  Expectation,
  FanReading,
  PoolReading,
  Reading,
} from '../../src/model/reading.ts';
import { positive, present } from '../_families/cgminer.ts';
import { boardsBeside, unlessEmpty } from '../_families/empty-list.ts';
import { findModel, type Model } from '../_families/models.ts';
import { withOwnBuild } from '../_families/own-build.ts';
import { setPools } from '../_families/pool-rows.ts';
import { STATES } from './errors.data.ts';
import { type Board, type Panel, type Pool, type Replies, toPowHs } from './replies.ts';

export function read({ panel, machine }: Replies, known: Known): Reading {
  const make = 'Iceriver';
  const { data } = panel ?? {};
  const reported = data && reportedModel(data);
  const row = findModel('iceriver-stock', reported) ?? findModel('iceriver-stock', known.model);
  const model = row?.model ?? reported ?? known.model;
  if (panel === undefined || data === undefined) return present({ make, model });
  // The web page answers for a mining program that does not.
  const isDown = panel.error !== undefined;
  const hashrateHs = toPowHs(data.rtpow, data.unit);
  const settledHs = toPowHs(data.avgpow, data.unit);
  const boards = data.boards && boardsOf(data.boards, data.unit);
  return present({
    make,
    model,
    mac: data.mac,
    hostname: data.host,
    firmwareVersion: data.softver1,

    hashrateHs,
    hashrateWindow: hashrateHs === undefined ? undefined : ('5m' as const),
    hashrateSettledHs: settledHs,
    hashrateAverageHs: settledHs,
    uptimeS: data.runtime,

    // Without a rate `powstate` says yes, and nothing else: it is false in every warm-up.
    isMining: isDown ? false : hashrateHs === undefined ? (data.powstate === true ? true : undefined) : hashrateHs > 0,
    miningMode: modeOf(machine?.data.mode, hashrateHs),
    isLightOn: data.locate,

    tempC: largest(boards?.flatMap((board) => board.boardTempsC ?? []) ?? []),
    boards: boardsBeside(boards, hashrateHs),
    fans: data.fans && unlessEmpty(fansOf(data.fans, row)),
    pools: poolsOf(data.pools),
    errors: isDown ? [webFault(panel.error, panel.message)] : errorsOf(data, row),
    expected: expectation(row, boards, hashrateHs),
  });
}

const NORMAL = 1;

/**
 * Any number but that of normal is sleep, if nothing is hashed; a miner that hashes is awake, and in which mode its
 * setting does not say.
 */
function modeOf(mode: number | undefined, hashrateHs: number | undefined): 'normal' | 'sleep' | undefined {
  if (mode === NORMAL) return 'normal';
  return mode !== undefined && hashrateHs === 0 ? 'sleep' : undefined;
}

/**
 * `model` is mostly empty; the mining program is called after it: `5977449_ks3m_miner`, `pbv077c_ks0miner`,
 * `211_10306_miner`.
 */
function reportedModel({ model, softver1 }: Panel): string | undefined {
  if (model !== undefined) return model.toUpperCase();
  const parts = softver1?.split('_') ?? [];
  const last = parts.at(-1);
  const name = last === 'miner' ? parts.at(-2) : last?.replace('miner', '');
  return parts.length < 2 || name === undefined || name === '' ? undefined : name.toUpperCase();
}

/** A slot with neither chips nor a rate is empty. */
function boardsOf(rows: readonly Board[], unit: string | undefined): BoardReading[] {
  const taken = new Set<number>();
  return rows.flatMap((row, place) => {
    const slot = row.no === undefined ? place : row.no - 1;
    const hashrateHs = toPowHs(row.rtpow, unit);
    const exists = (row.chipnum ?? 0) > 0 || (hashrateHs ?? 0) > 0;
    if (!exists || taken.has(slot)) return [];
    taken.add(slot);
    const boardTempsC = [row.intmp, row.outtmp].filter((tempC) => tempC !== undefined);
    return [
      present({
        slot,
        hashrateHs,
        expectedHashrateHs: believable(positive(toPowHs(row.idealpow, unit)), hashrateHs),
        // No chips beside a rate: not counted.
        chips: positive(row.chipnum),
        frequencyMhz: positive(row.freq),
        boardTempsC: boardTempsC.length === 0 ? undefined : boardTempsC,
        inletTempC: row.intmp,
        outletTempC: row.outtmp,
        isAlive: row.state,
      }),
    ];
  });
}

/** Faster than that no board runs beside its own ideal: some builds print the ideal of a chip, or 0. */
const MOST = 1.5;
const believable = (idealHs: number | undefined, hashrateHs: number | undefined) =>
  idealHs !== undefined && (hashrateHs ?? 0) <= idealHs * MOST ? idealHs : undefined;

/** Places without a fan read 0; how many there are only the model tells. */
function fansOf(rpms: readonly (number | undefined)[], row: Model | undefined): FanReading[] {
  const usual = positive(row?.expected.fans);
  return rpms.flatMap((rpm, index) => {
    const exists = usual === undefined ? positive(rpm) !== undefined : index < usual;
    return exists ? [present({ index, rpm })] : [];
  });
}

/** Addresses may lack their scheme. A pool that nothing is connected to is not dead for that: it may be a reserve. */
function poolsOf(rows: readonly Pool[] | undefined): PoolReading[] | undefined {
  return setPools(
    rows,
    ({ addr }) => addr,
    ({ no, user = '', state, connect, accepted, rejected }, addr, place): PoolReading =>
      present({
        index: no === undefined ? place : no - 1,
        url: poolUrl(addr),
        user,
        isAlive: state === 1 || connect === true ? true : undefined,
        isActive: connect,
        accepted,
        rejected,
      }),
  );
}

export const poolUrl = (addr: string) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(addr) ? addr : `stratum+tcp://${addr}`);

const webFault = (error: number | undefined, message: string | undefined): ErrorReading =>
  present({ code: `web:${error ?? ''}`, message, category: 'software' as const });

/** Whether the rate is as it should be is judged by the rate, not by `powstate`, which is false in every warm-up. */
function errorsOf(data: Panel, row: Model | undefined): ErrorReading[] | undefined {
  const told = STATES.filter(({ code }) => data[code] !== undefined);
  if (told.length === 0) return undefined;
  // Machines without fans of their own say that their fans are wrong.
  return told.filter(({ code }) => data[code] === false && !(code === 'fanstate' && row?.expected.fans === 0));
}

/** The ideal of the boards if all of them tell one that fits the model, else the nameplate. */
function expectation(
  row: Model | undefined,
  boards: readonly BoardReading[] | undefined,
  hashrateHs: number | undefined,
): Expectation | undefined {
  const { hashrateHs: nameplateHs, ...parts } = row?.expected ?? {};
  const ideals = boards?.map((board) => board.expectedHashrateHs) ?? [];
  const sumHs = ideals.length === (parts.boards ?? ideals.length) ? sumOfAll(ideals) : undefined;
  const isFit = nameplateHs === undefined || (sumHs ?? 0) * MOST >= nameplateHs;
  const idealHs = isFit ? believable(positive(sumHs), hashrateHs) : undefined;
  const chips = new Set(boards?.map((board) => board.chips));
  const own = chips.size === 1 ? { chipsPerBoard: [...chips][0] } : {};
  const wanted = present({
    ...withOwnBuild(parts.fans === 0 ? BARE(parts) : parts, own),
    hashrateHs: first(idealHs, nameplateHs),
  });
  return Object.keys(wanted).length === 0 ? undefined : wanted;
}

/** One without fans is a home machine, with fewer boards than the table gives to the whole series. */
const BARE = ({ cooling }: Expectation): Expectation => present({ cooling });

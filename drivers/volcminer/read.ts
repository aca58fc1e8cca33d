// Turns the answers of one VolcMiner into a Reading. It tells no mode, no light, no faults of its own and no power.
import type { Known } from '../../src/driver/contract.ts';
import { first } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { type BoardDraft, toReading } from '../../src/driver/kit/draft.ts';
import type { BoardReading, FanReading, Reading } from '../../src/model/reading.ts';
import { readStats, statsType } from '../_dialects/bitmain.ts';
import { BITMAIN, toBoard } from '../_dialects/bitmain-boards.ts';
import { controlBoard, webPools } from '../_dialects/bitmain-web.ts';
import { whichBlackMiner } from '../_dialects/black-miner.ts';
import { poolReadings, positive, present, whenS } from '../_dialects/cgminer.ts';
import { hashrates } from '../_dialects/windows.ts';
import type { Replies } from './replies.ts';

type Status = NonNullable<Replies['status']>;

export function read(replies: Replies, known: Known): Reading {
  const status = bothOf(replies.status, replies.statusV1);
  const system = { ...replies.systemV1, ...present(replies.system ?? {}) };
  const version = replies.version?.VERSION?.[0];
  const reported = first(version?.Type, statsType(new Answer(replies.stats)));
  const device = whichBlackMiner(
    system?.minertype,
    reported,
    system?.hostname,
    known.model && `${known.make ?? 'VolcMiner'} ${known.model}`,
  );
  // The port is asked where the web says nothing. Its keys say MHS and mean it.
  const stats = readStats(new Answer(replies.stats), device?.row, { isKeyHonest: true });
  const summary = replies.summary?.SUMMARY?.[0];
  const rates = summary === undefined ? {} : hashrates(summary);
  const boards = first<readonly BoardDraft[]>(
    status?.devs && boardsOf(status.devs, hashesNow(status)),
    stats.boards?.map(({ reading }) => reading),
    boardsOfDevs(replies.devs?.DEVS),
  );
  const nowHs = first(status?.summary?.ghs5s, stats?.nowHs, rates.hashrateHs);
  const isHashing = first(hashesNow(status), stats?.isHashing, nowHs === undefined ? undefined : nowHs > 0);
  const isNamed = system?.minertype !== undefined || reported !== undefined;
  return toReading({
    mac: system?.macaddr,
    hostname: system?.hostname,
    make: device?.make ?? (isNamed ? undefined : 'VolcMiner'),
    model: first(device?.model, system?.minertype, reported),
    firmwareVersion: first(system?.system_filesystem_version, version?.CompileTime, stats?.compileTime),
    apiVersion: version?.API,
    controlBoard: controlBoard(undefined, system?.system_kernel_version),

    hashrateHs: nowHs,
    hashrateWindow: nowHs === undefined ? undefined : ('5s' as const),
    hashrateSettledHs: rates.hashrateSettledHs,
    hashrateAverageHs: first(status?.summary?.ghsav, stats?.averageHs, rates.hashrateAverageHs),
    uptimeS: first(status?.summary?.elapsed, stats?.elapsedS, summary?.Elapsed),
    deviceTimeS: first(stats?.whenS, whenS(replies.summary)),

    isMining: isHashing,

    boards,
    fans: (status && fansOf(status)) ?? turning(stats.fanSlots),
    pools: webPools(rowsOf(status?.pools)) ?? poolReadings(replies.pools?.POOLS),
    expected: device?.row?.expected,
  });
}

/** The older page, and of the newer what that lacks: what each board makes, and its faulty results. */
function bothOf(old: Status | undefined, fresh: Status | undefined): Status | undefined {
  if (old === undefined || fresh === undefined) return old ?? fresh;
  const devs = old.devs?.map((dev) => ({ ...fresh.devs?.find(({ index }) => index === dev.index), ...present(dev) }));
  return { ...fresh, ...present(old), devs };
}

const rowsOf = (list: readonly unknown[] | undefined) => list?.map((row) => new Answer(row));

/** Undefined where the page has no rate. */
function hashesNow(status: Status | undefined): boolean | undefined {
  const nowHs = status?.summary?.ghs5s;
  return nowHs === undefined ? undefined : nowHs > 0;
}

/** One row per board, where nothing else tells of boards. */
function boardsOfDevs(devs: NonNullable<Replies['devs']>['DEVS']): BoardReading[] | undefined {
  if (devs === undefined || devs.length === 0) return undefined;
  return devs.flatMap((dev, place) => {
    const slot = first(dev.ASC, dev.PGA, dev.ID) ?? place;
    const isFirst = devs.findIndex((other, at) => (first(other.ASC, other.PGA, other.ID) ?? at) === slot) === place;
    if (!isFirst || slot > 63) return [];
    return [
      present({
        slot,
        hashrateHs: hashrates(dev).hashrateHs,
        boardTempsC: dev.Temperature === undefined ? undefined : [dev.Temperature],
        hwErrors: dev['Hardware Errors'],
      }),
    ];
  });
}

/** Chains count from 1; one without chips is an empty place. */
function boardsOf(devs: NonNullable<Status['devs']>, isHashing: boolean | undefined): BoardDraft[] | undefined {
  if (devs.length === 0) return undefined;
  const base = devs.some(({ index }) => index === 0) ? 0 : 1;
  const boards = devs.flatMap((dev, place) => {
    const { reading } = toBoard(
      dev.index === undefined ? place : dev.index - base,
      new Answer(dev),
      { units: BITMAIN, isHashing },
      {
        ...{ chips: 'chain_acn', map: 'chain_acs', hw: 'hw', pcb: ['temp'], chip: 'temp2' },
        hashrateHs: dev.rate,
        frequencyMhz: positive(BITMAIN.toMhz(dev.freq)),
      },
    );
    return (reading.chips ?? 0) > 0 || (reading.hashrateHs ?? 0) > 0 ? [reading] : [];
  });
  return boards.filter(({ slot }, place) => boards.findIndex((other) => other.slot === slot) === place);
}

/**
 * All machines write four, and those without a fan write 0. How many there must be, the model says. Undefined when none
 * is written.
 */
function fansOf({ fan1, fan2, fan3, fan4 }: Status): FanReading[] | undefined {
  const slots = [fan1, fan2, fan3, fan4];
  return turning(slots);
}

function turning(slots: readonly (number | undefined)[] | undefined): FanReading[] | undefined {
  if (slots === undefined || slots.every((rpm) => rpm === undefined)) return undefined;
  return slots.flatMap((rpm, index) => (rpm !== undefined && rpm > 0 ? [{ index, rpm }] : []));
}

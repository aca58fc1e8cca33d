// Reads an unknown device by the keys that many firmwares share. What is not understood is left out; nothing is derived
// from a guess.
import type { Known } from '../../src/driver/contract.ts';
import { first, firstMac, largest, toNumber, toTempC, toText } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { toReading } from '../../src/driver/kit/draft.ts';
import type { Model } from '../../src/driver/kit/models/models.ts';
import type { BoardReading, Reading } from '../../src/model/reading.ts';
import { readStats, type Stats } from '../_dialects/bitmain.ts';
import { sensors } from '../_dialects/bitmain-boards.ts';
import { toFans } from '../_dialects/bitmain-fans.ts';
import { rateUnitOf } from '../_dialects/bitmain-units.ts';
import { aliveByWord, poolReadings, positive, present, whenS } from '../_dialects/cgminer.ts';
import { hashrates, windowHs } from '../_dialects/windows.ts';
import { describe, modelOf } from './describe.ts';
import type { Replies } from './replies.ts';

type Row = Readonly<Record<string, unknown>>;

export function read(replies: Replies, known: Known): Reading {
  const summary = replies.summary?.SUMMARY?.[0];
  const versionRow = replies.version?.VERSION?.[0] ?? {};
  const texts = Object.fromEntries(
    Object.entries(versionRow).flatMap(([key, value]) =>
      toText(value) === undefined ? [] : [[key, toText(value) ?? '']],
    ),
  );
  const { make, model: name, firmwareVersion } = describe(JSON.stringify(texts), undefined);
  const model = modelOf(texts);
  const stats = readStats(new Answer(replies.stats), model);
  const rates = summary ? hashrates(withProvenUnits(summary, model)) : {};
  const hashrateHs = first(rates.hashrateHs, stats?.nowHs);
  const devs = replies.devs?.DEVS?.map((dev) => withProvenUnits(dev, model));
  const avalonTexts = textsOfModules(replies.stats?.STATS ?? []);
  const boards = first(boardsOfStats(stats), boardsOfDevs(devs));
  return present({
    mac: firstMac(toText(versionRow.MAC, 128), toText(summary?.MAC, 128)),
    make: known.make ?? make ?? (avalonTexts.length > 0 ? 'Avalon' : undefined),
    model: name ?? known.model,
    firmwareVersion,
    apiVersion: toText(versionRow.API),
    ...rates,
    hashrateHs,
    hashrateWindow: first(rates.hashrateWindow, stats?.nowHs === undefined ? undefined : ('5s' as const)),
    hashrateSettledHs: first(rates.hashrateSettledHs, stats?.settledHs),
    uptimeS: first(summary?.Elapsed, stats?.elapsedS),
    deviceTimeS: first(whenS(replies.summary), whenS(replies.stats)),
    isMining: hashrateHs === undefined ? undefined : hashrateHs > 0,
    tempC: first(
      largest(boards?.map((board) => board.chipTempMaxC) ?? []),
      largest(boards?.flatMap((board) => board.boardTempsC ?? []) ?? []),
      looseTempC([...(replies.stats?.STATS ?? []), summary ?? {}]),
      largest(avalonTexts.map((text) => toTempC(text.match(/\bTMax\[(\d{1,3})\]/)?.[1]))),
    ),
    boards,
    fans: fansOf(stats, summary, model?.expected.fans),
    pools: poolReadings(replies.pools?.POOLS),
    expected: model && present({ ...model.expected, hashrateHs: first(stats?.idealHs, model.expected.hashrateHs) }),
  });
}

/** Controllers of Avalons put all that they know into one text per machine, whether they name themselves or not. */
function textsOfModules(rows: readonly Row[]): string[] {
  return rows.flatMap((row) =>
    Object.entries(row).flatMap(([key, value]) =>
      /^MM ID\d{1,3}(:Summary)?$/.test(key) && typeof value === 'string' ? [value.slice(0, 16_384)] : [],
    ),
  );
}

/**
 * The original counts MH and says so. `GHS` is a key of its offspring, under which machines write what they like:
 * without a model that settles the unit, only its zeros are read.
 */
function withProvenUnits<R extends Row>(row: R, model: Model | undefined): R {
  const isDoubtful =
    Object.keys(row).some((key) => key.startsWith('GHS ')) && rateUnitOf(new Answer(row), { model }) !== 'G';
  if (!isDoubtful) return row;
  const kept: R & Record<string, unknown> = { ...row };
  for (const key of Object.keys(row)) if (key.startsWith('GHS ') && toNumber(row[key]) !== 0) delete kept[key];
  return kept;
}

function boardsOfStats(stats: Stats | undefined): BoardReading[] | undefined {
  if (stats?.boards === undefined || stats.boards.length === 0) return undefined;
  return toReading({
    boards: stats.boards.map(({ reading }) => {
      const { boardTempsC, chipTempsC } = reading;
      // Some firmwares print the board's sensors again where the chips' belong.
      return String(boardTempsC) === String(chipTempsC) ? { ...reading, chipTempsC: [] } : reading;
    }),
  }).boards;
}

type Dev = NonNullable<NonNullable<Replies['devs']>['DEVS']>[number];

/** One board per named device. Antminers list a stand-in for the whole machine, which says nothing. */
function boardsOfDevs(devs: readonly Dev[] | undefined): BoardReading[] | undefined {
  const real = devs?.filter((dev) => !dev.Name?.startsWith('BTM_'));
  if (real === undefined || real.length === 0) return undefined;
  const slots = new Set<number>();
  return real.flatMap((dev, place) => {
    const named = first(dev.ASC, dev.PGA, dev.ID) ?? place;
    const slot = named <= 63 && !slots.has(named) ? named : place;
    if (slots.has(slot)) return [];
    slots.add(slot);
    return [
      present({
        slot,
        hashrateHs: first(windowHs(dev, '5s'), windowHs(dev, '1m'), windowHs(dev, 'av')),
        chips: toCount(dev.ChipNum),
        voltageV: positive(toNumber(dev.volt, { min: 0, max: 100 })),
        boardTempsC: dev.Temperature === undefined ? undefined : [dev.Temperature],
        hwErrors: dev['Hardware Errors'],
        isAlive: isAlive(dev),
      }),
    ];
  });
}

const toCount = (value: unknown) => positive(toNumber(value, { min: 0, max: 100_000 }));

const isAlive = ({ Enabled, Status }: Dev) => (Enabled === false ? false : aliveByWord(Status));

/** Keys such as `temp1`, `temp2_1`, `temp_chip3`, `Temperature`: sensors, not counts, limits or settings. */
const SENSOR = /^temp(erature)?([ _]?(chip|pcb|pic|board|asic|sensor))?[ _\d]{0,8}$/i;

/** The hottest of the sensors that a device without boards of its own shows. */
function looseTempC(rows: readonly Row[]): number | undefined {
  return largest(
    rows.flatMap((row) => Object.entries(row).flatMap(([key, value]) => (SENSOR.test(key) ? sensors(value) : []))),
  );
}

function fansOf(stats: Stats | undefined, summary: Row = {}, wanted = 0): Reading['fans'] {
  const count = toNumber(summary['Fan Num'], { min: 1, max: 8 });
  const slots = stats?.fanSlots.length ? stats.fanSlots : slotsOf(summary, count);
  const isTold = slots.some((rpm) => rpm !== undefined);
  const fans = isTold ? toFans(slots, Math.max(wanted, stats?.fanCount ?? count ?? 0)) : [];
  return fans.length === 0 ? undefined : fans.map((fan) => present(fan));
}

/** `Fan1`, `Fan2` up to the number of fans that stands beside them, or the two that have names. */
const slotsOf = (summary: Row, count: number | undefined): (number | undefined)[] =>
  count === undefined
    ? [summary['Fan Speed In'], summary['Fan Speed Out']].map(toRpm)
    : Array.from({ length: count }, (_, place) => toNumber(summary[`Fan${place + 1}`], { min: 0, max: 30_000 }));

const toRpm = (value: unknown) => positive(toNumber(value, { min: 0, max: 30_000 }));

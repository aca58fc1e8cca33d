// Reads an unknown device by the keys that many firmwares share. What is not understood is left out; nothing is derived
// from a guess.
import * as kit from '../../src/driver/kit/index.ts';
import { moduleTexts } from '../_dialects/avalon.ts';
import { readStats, type Stats, statsRows } from '../_dialects/bitmain.ts';
import { sensors } from '../_dialects/bitmain-boards.ts';
import { toFans } from '../_dialects/bitmain-fans.ts';
import { rateUnitOf } from '../_dialects/bitmain-units.ts';
import { describe } from './describe.ts';

type Answers = Readonly<Record<'summary' | 'devs' | 'stats' | 'pools' | 'version', kit.Answer>>;

export function read({ version, pools, ...answers }: Answers, known: kit.Known): kit.Draft {
  const versionRow = version.row('VERSION');
  const texts = versionRow.keys().flatMap((key) => {
    const text = versionRow.text(key);
    return text === undefined ? [] : [[key, text] as const];
  });
  const { row: model, make, ...named } = describe(Object.fromEntries(texts));
  const stats = readStats(answers.stats, model);
  const summary = answers.summary.row('SUMMARY');
  const rates = kit.hashrates(withProvenUnits(summary, model));
  const devs = answers.devs.rows('DEVS')?.map((dev) => withProvenUnits(dev, model));
  const avalons = moduleTexts(answers.stats);
  const boards = boardsOfStats(stats) ?? boardsOfDevs(devs);
  return {
    mac: kit.firstMac(versionRow.asWritten('MAC'), summary.asWritten('MAC')),
    make: known.make ?? make ?? (avalons.length > 0 ? 'Avalon' : undefined),
    model: named.model ?? known.model,
    firmwareVersion: named.firmwareVersion,
    apiVersion: versionRow.text('API'),

    ...rates,
    hashrateHs: rates.hashrateHs ?? stats.nowHs,
    hashrateWindow: rates.hashrateWindow ?? '5s',
    hashrateSettledHs: rates.hashrateSettledHs ?? stats.settledHs,
    uptimeS: summary.seconds('Elapsed') ?? stats.elapsedS,
    deviceTimeS: kit.whenS(answers.summary) ?? kit.whenS(answers.stats),

    tempC: kit.first(
      kit.hottestC(boards ?? []),
      looseTempC([...statsRows(answers.stats), summary]),
      kit.largest(avalons.map((text) => kit.toTempC(text.match(/\bTMax\[(\d{1,3})\]/)?.[1]))),
    ),
    boards,
    fans: fansOf(stats, summary, model?.expected.fans),
    pools: kit.cgminerPools(pools),
    expected: model && { ...model.expected, hashrateHs: stats.idealHs ?? model.expected.hashrateHs },
  };
}

/**
 * The original counts MH and says so. `GHS` is a key of its offspring, under which machines write what they like:
 * without a model that settles the unit, only its zeros are read.
 */
function withProvenUnits(row: kit.Answer, model: kit.Model | undefined): kit.Answer {
  const isGhs = (key: string) => key.startsWith('GHS ');
  if (!row.keys().some(isGhs) || rateUnitOf(row, { model }) === 'G') return row;
  const kept = row.keys().filter((key) => !isGhs(key) || row.number(key) === 0);
  return new kit.Answer(Object.fromEntries(kept.map((key) => [key, row.value(key)])));
}

function boardsOfStats({ boards = [] }: Stats): kit.BoardDraft[] | undefined {
  const drafts = boards.map(({ reading }) => {
    const { boardTempsC, chipTempsC } = reading;
    // Some firmwares print the board's sensors again where the chips' belong.
    return String(boardTempsC) === String(chipTempsC) ? { ...reading, chipTempsC: [] } : reading;
  });
  return drafts.length === 0 ? undefined : drafts;
}

/** One board per named device. Antminers list a stand-in for the whole machine, which says nothing. */
function boardsOfDevs(devs: readonly kit.Answer[] = []): kit.BoardDraft[] | undefined {
  const real = devs.filter((dev) => !dev.text('Name')?.startsWith('BTM_'));
  const taken = new Set<number>();
  const boards = real.map((dev, place) => {
    const [named = place] = ['ASC', 'PGA', 'ID'].flatMap((key) => dev.int(key, { min: 0 }) ?? []);
    const slot = named <= 63 && !taken.has(named) ? named : place;
    taken.add(slot);
    return {
      slot,
      hashrateHs: kit.windowHs(dev, '5s') ?? kit.windowHs(dev, '1m') ?? kit.windowHs(dev, 'av'),
      chips: dev.positive('ChipNum', 100_000),
      voltageV: dev.positive('volt', 100),
      boardTempsC: [dev.tempC('Temperature')],
      hwErrors: dev.count('Hardware Errors'),
      isAlive: dev.bool('Enabled') === false ? false : kit.aliveByWord(dev.text('Status')),
    };
  });
  return boards.length === 0 ? undefined : boards;
}

/** Keys such as `temp1`, `temp2_1`, `temp_chip3`, `Temperature`: sensors, not counts, limits or settings. */
const SENSOR = /^temp(erature)?([ _]?(chip|pcb|pic|board|asic|sensor))?[ _\d]{0,8}$/i;

/** The hottest of the sensors that a device without boards of its own shows. */
const looseTempC = (rows: readonly kit.Answer[]): number | undefined =>
  kit.largest(rows.flatMap((row) => row.keys().flatMap((key) => (SENSOR.test(key) ? sensors(row.value(key)) : []))));

/** `Fan1`, `Fan2` up to the number of fans that stands beside them, or the two that have names. */
function fansOf({ fanSlots, fanCount }: Stats, summary: kit.Answer, usual = 0): kit.FanDraft[] | undefined {
  const count = summary.number('Fan Num', { min: 1, max: 8 });
  const numbered = Array.from({ length: count ?? 0 }, (_, place) => summary.rpm(`Fan${place + 1}`));
  const named = [summary.rpm('Fan Speed In'), summary.rpm('Fan Speed Out')].map(kit.positive);
  const slots = fanSlots.length > 0 ? fanSlots : count === undefined ? named : numbered;
  const isTold = slots.some((rpm) => rpm !== undefined);
  return isTold ? toFans(slots, Math.max(usual, fanCount ?? count ?? 0)) : undefined;
}

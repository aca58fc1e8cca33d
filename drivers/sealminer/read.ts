// Turns the answers of one Sealminer into a Reading. The statistics name everything; the web adds mode and light.
import * as kit from '../../src/driver/kit/index.ts';
import { MODE_KEYS, MODE_WORDS, NUMBERED_MODES } from './modes.data.ts';
import { BOARD, FAN, MACHINE, PAGE_POOL, RATES, SUPPLY } from './names.data.ts';

type Answers = Readonly<Record<'stats' | 'status' | 'pools' | 'system' | 'version', kit.Answer>>;

export function read({ system, version, status, ...answers }: Answers, known: kit.Known): kit.Draft {
  const stats = answers.stats.row('STATS');
  const fields = kit.namedFields(MACHINE, stats, system, status.at('summary'));
  const { model, expected } = kit.knownModel('sealminer-stock', fields.model, known.model);
  const rates = kit.hashrates(kit.factsOf(RATES, stats, status.at('summary')));
  // The statistics name the mode in a word of their own.
  const set = MODE_WORDS[stats.text('Mining Mode', 64)?.toLowerCase() ?? ''] ?? modeOf(system);
  const mode = kit.modeNow(sleeps(stats), rates.hashrateHs, set);
  const boards = upTo(countOf(stats, 'Board Count') ?? 4).flatMap((slot) => board(numbered(stats, slot), slot) ?? []);
  return {
    ...fields,
    ...rates,
    model,
    apiVersion: version.row('VERSION').text('API'),
    deviceTimeS: kit.whenS(answers.stats),
    miningMode: mode,
    // Without a count and without a board nothing is said of boards.
    boards: stats.has('Board Count') || boards.length > 0 ? boards : undefined,
    fans: upTo(countOf(stats, 'Fan Count')).map((no) => ({ index: no, ...kit.namedFields(FAN, numbered(stats, no)) })),
    psus: [{ ...kit.namedFields(SUPPLY, stats), isOk: isFine(faultWord(stats, 'PSU Error')) }],
    pools: kit.cgminerPools(answers.pools) ?? kit.poolsNamed(PAGE_POOL, status.rows('pools')),
    errors: errors(stats),
    expected: expectation(stats, mode, expected),
  };
}

/** Undefined when the device does not say. Any other word than these may be a start or a fault: then it is awake. */
export function sleeps(stats: kit.Answer): boolean | undefined {
  const state = stats.text('PM State');
  return state === undefined ? undefined : /suspend|sleep/i.test(state);
}

/** Undefined when two modes share the number that is set. */
export function modeOf(system: kit.Answer): kit.Draft['miningMode'] {
  const set = system.count('miningMode');
  const named = NUMBERED_MODES.filter((mode) => set !== undefined && system.count(MODE_KEYS[mode]) === set);
  return named.length === 1 ? named[0] : undefined;
}

const countOf = (stats: kit.Answer, key: string) => kit.positive(stats.int(key, { min: 0, max: 32 }));
const upTo = (count = 0) => Array.from({ length: count }, (_, index) => index);

/** Boards and fans are told by keys with their number in front: `0 SN` is of a board, `0 Speed` of a fan. */
function numbered(stats: kit.Answer, no: number): kit.Answer {
  const prefix = `${no} `;
  const own = Object.entries(stats.fields).filter(([key]) => key.startsWith(prefix));
  return new kit.Answer(Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value])));
}

/** A slot is a board if it has chips, a serial number or a rate. */
function board(row: kit.Answer, slot: number): kit.BoardDraft | undefined {
  const { chips: found, badChips, ...fields } = kit.namedFields(BOARD, row);
  const hashrateHs = row.rateHs('MHS(Sample)', 'M');
  if (fields.serialNumber === undefined && !found && !hashrateHs) return undefined;
  return {
    ...{ slot, ...fields, hashrateHs, badChips },
    expectedHashrateHs: kit.positive(row.rateHs('MHS(Ideal)', 'M')),
    // The count is of the chips that were found, good or bad.
    chips: found === undefined || badChips === undefined || badChips > found ? undefined : found - badChips,
    boardTempsC: upTo(4).map((sensor) => row.tempC(`Temp ${sensor}`)),
  };
}

/** Blank is an answer: there is none. */
const faultWord = (stats: kit.Answer, key: string) => (stats.value(key) === '' ? '' : stats.asWritten(key));
const isFine = (fault: string | undefined) => (fault === undefined ? undefined : !kit.isFault(fault));

/** The codes have no public table: they are passed on as they are. */
function errors(stats: kit.Answer): kit.Draft['errors'] {
  const [code, chip, ofPsu] = ['Error Code', 'Error Chip', 'PSU Error'].map((key) => faultWord(stats, key));
  if (kit.first(code, chip, ofPsu) === undefined) return undefined;
  return [
    kit.isFault(code) ? { code, category: 'unknown' } : undefined,
    kit.isFault(chip) ? { code: 'chip', message: `chips with errors: ${chip}`, category: 'chip' } : undefined,
    kit.isFault(ofPsu) ? { code: `psu:${ofPsu}`.slice(0, 128), category: 'psu' } : undefined,
  ];
}

function expectation(stats: kit.Answer, mode: kit.Draft['miningMode'], table: kit.Expectation) {
  const isLiquid = stats.bool('Liquid Cooling') === true;
  // Elsewhere a count of 0 is none.
  const own = { boards: countOf(stats, 'Board Count'), fans: isLiquid ? 0 : countOf(stats, 'Fan Count') };
  // Rated is what the machine was sold for in normal mode; ideal follows what it does now, and so would hide a board
  // that is gone. Of a mode that is not known less may have been asked than it was sold for.
  const isRated = mode === 'normal' || mode === 'sleep';
  const [ratedHs, idealHs] = ['MHS(Rated)', 'MHS(Ideal)'].map((key) => kit.positive(stats.rateHs(key, 'M')));
  return {
    ...kit.withOwnBuild(table, own),
    ...(isLiquid && { cooling: 'liquid' as const }),
    hashrateHs: isRated ? (ratedHs ?? table.hashrateHs) : idealHs,
  };
}

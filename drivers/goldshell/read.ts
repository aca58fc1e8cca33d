// Turns the answers of one Goldshell into a Reading (atlas 18): those that it gives without a login.
import * as kit from '../../src/driver/kit/index.ts';

type Answers = Readonly<Record<'devs' | 'webDevs' | 'pools' | 'status' | 'devdetails', kit.Answer>>;

/** One board, and what it tells of the whole machine. */
type Row = {
  readonly board: kit.BoardDraft;
  /** What it mines, where that is told. */
  readonly kind?: string | undefined;
  readonly averageHs: number | undefined;
  readonly uptimeS?: number | undefined;
  readonly fans: readonly unknown[];
};

export function read({ devs, webDevs, pools, status, devdetails }: Answers, known: kit.Known): kit.Draft {
  const names = [bareName(status.text('model', 64)), known.model];
  const found = kit.knownModel('goldshell-stock', ...names.map((name) => name && `Goldshell ${name}`));
  const model = bareName(found.model);
  const all = kit.first(devs.rows('DEVS')?.map(fromTcp), webDevs.rows('data')?.map(fromWeb));
  // An empty list is the answer of a mining program that has not found its boards yet.
  const rows = all?.length === 0 ? undefined : all;
  const sum = (of: (row: Row) => number | undefined) =>
    addUp(rows, model) || rows?.every((row) => of(row) === 0) ? kit.sumOfAll(rows?.map(of) ?? []) : undefined;
  return {
    model,
    firmwareVersion: status.text('firmware'),
    controlBoard: status.text('mcbversion'),

    hashrateHs: sum(({ board }) => board.hashrateHs),
    hashrateWindow: 'realtime',
    hashrateAverageHs: sum(({ averageHs }) => averageHs),
    uptimeS: kit.largest(rows?.map(({ uptimeS }) => uptimeS) ?? []),
    // Rates that do not add up say so, too.
    ...(rows?.some(({ board }) => kit.positive(board.hashrateHs) !== undefined) && { isMining: true }),

    boards: rows?.map(({ board }) => ({ ...board, chips: chipsOf(board.slot, devdetails) })),
    // Each board tells the fans of the whole machine.
    fans: kit.fansOf(
      rows && FANS.map((index) => kit.first(...rows.map(({ fans }) => fans[index]))),
      found.expected.fans,
    ),
    pools: kit.cgminerPools(pools),
    // The nameplate holds for the normal plan only, and which plan is in use is behind the login: no rate is expected
    // but the boards' own.
    expected: { ...found.expected, hashrateHs: undefined },
  };
}

const FANS = [0, 1, 2, 3] as const;

/** `Goldshell-KD5`, `Goldshell KD5`. */
const bareName = (reported: string | undefined) => kit.toText(reported?.replace(/^goldshell[- ]?/i, ''));

/**
 * The boards of a Byte may mine two things at once: such rates do not add up, and without their kinds it is not known.
 */
function addUp(rows: readonly Row[] | undefined, model: string | undefined): boolean {
  const kinds = new Set(rows?.map(({ kind }) => kind));
  return kinds.size === 1 && !(model === 'Byte' && kinds.has(undefined));
}

function fromTcp(row: kit.Answer, place: number): Row {
  const kind = row.text('pool', 64);
  return {
    board: {
      slot: row.int('ID', SLOT) ?? row.int('PGA', SLOT) ?? place,
      hashrateHs: row.rateHs('MHS 20s', 'M'),
      // Where the kinds are told the figures are those of the board; elsewhere the estimate is of something else.
      expectedHashrateHs: kind === undefined ? undefined : ofItsKind(kind, row),
      frequencyMhz: row.mhz('clock'),
      // Of a board of many chips in a row, in mV; a box prints the volts of one of its chips.
      voltageV: row.milli('voltage', { min: 5_000, max: 50_000 }),
      // The board's own sensor, which its page shows.
      boardTempsC: [row.number('tstemp-2', SENSOR), ...placesC(row)],
      // Somewhat above the mean of the chips, never the hottest.
      chipTempAvgC: kit.largest([row.number('tstemp-0', SENSOR), row.number('tstemp-1', SENSOR)]),
      hwErrors: row.count('Hardware Errors'),
      isAlive: kit.poolIsAlive(row.text('Status')),
    },
    kind,
    averageHs: row.rateHs('MHS av', 'M'),
    uptimeS: row.seconds('Device Elapsed'),
    fans: FANS.map((index) => row.rpm(`fan${index}`)),
  };
}

/**
 * What `time` counts on the page is not known: no uptime. Of two temperatures the first is of the chips, as `tstemp-0`
 * is on TCP.
 */
function fromWeb(row: kit.Answer, place: number): Row {
  const temps = figures(row, 'temp', SENSOR);
  const [chipTempAvgC, ...others] = temps.length === 2 ? temps : [undefined, ...temps];
  return {
    board: {
      slot: row.int('id', SLOT) ?? place,
      hashrateHs: row.rateHs('hashrate', 'M'),
      boardTempsC: [...others, ...placesC(row)],
      chipTempAvgC,
      hwErrors: row.count('hwerrors'),
    },
    averageHs: row.rateHs('av_hashrate', 'M'),
    fans: figures(row, 'fanspeed'),
  };
}

const SLOT = { min: 0, max: 63 } as const;
/** 0 is a sensor that is not there. */
const SENSOR = { min: 1, max: 200 } as const;

/** `83.0 °C / 73.8 °C`, `3180 rpm / 3120 rpm`. */
const figures = (row: kit.Answer, key: string, range?: typeof SENSOR) =>
  kit
    .toText(row.value(key))
    ?.split('/')
    .map((part) => kit.toNumber(part.match(/[\d.]+/)?.[0], range)) ?? [];

/** Where a model has more than one sensor, each has its place; which of them are chips is not known. */
const placesC = (row: kit.Answer) =>
  ['l_temp', 'r_temp', 't_temp', 'm_temp'].flatMap((place) => figures(row, place, SENSOR));

/** A zkSNARK board has a figure of its own. */
const ofItsKind = (kind: string, row: kit.Answer) =>
  kit.positive(/^zksnark/i.test(kind) ? row.rateHs('theory_hash', 'M') : row.rateHs('estimate_hash_rate', ''));

/** Told under one name or the other. */
function chipsOf(slot: number, devdetails: kit.Answer): number | undefined {
  const rows = kit.first(devdetails.rows('DEVS'), devdetails.rows('DEVDETAILS'));
  const row = rows?.find((each) => (each.int('DEVDETAILS', SLOT) ?? each.int('ID', SLOT)) === slot);
  return kit.positive(row?.count('chips-nr', 100_000));
}

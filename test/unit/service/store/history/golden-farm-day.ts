// A farm's day, 2 March 2026 (a Monday), reported minute by minute, and what its history must say, worked out by hand.
//
// Miners (every reading is the same, so that the sums can be done on paper):
//   A 100 TH/s, 3,000 W, 60 degrees     B 50 TH/s, 2,000 W, 70 degrees     C 100 TH/s, 3,000 W, 80 degrees, there from 12:30
//
// What happens:
//   06:00-06:30  the agent is off: nothing is known of these 30 minutes
//   07:00-08:00  the uplink is down: the reports of this hour arrive after everything else of the day, and twice
//   08:00-09:00  B does not answer: its polls fail, which is known
//   09:10-09:14  the agent restarts: four minutes without a report, the rest of the cell 09:10-09:20 has six of ten
//   10:05        one poll came late: the minute has no report, the minutes beside it have, so it is no gap
//   12:30        C is found
//   13:20        B is read twice in one minute, the second time at 85 degrees
//   16:00-20:00  the agent is off
//
// Hours. Cells (ten minutes) with data are averaged; a cell's average is per observed miner-minute times the miners
// that reported in it.
//   plain (A + B)   150 TH/s, 5,000 W, 33.333 J/TH, (60 + 70) / 2 = 65 degrees, at most 70, 2 online of 2
//   06  three cells of six, all plain: the plain averages; 2 x 30 of 2 x 60 miner-minutes = 0.5
//   07  plain, once what came twice is counted once
//   08  A only: 100 TH/s, 3,000 W, 30 J/TH, 60 degrees; 1 online; expected stays 150 TH/s; coverage 1: a failed poll is data
//   09  plain; 2 x 56 of 2 x 60 miner-minutes = 0.9333
//   10  plain, coverage 1
//   12  three cells plain, three with C (250 TH/s, 8,000 W): 200 TH/s, 6,500 W, online (3 x 2 + 3 x 3) / 6 = 2.5 of 3;
//       efficiency: energy over work = (60 x 5,000 + 30 x 3,000) / (60 x 150 + 30 x 100) = 390,000 / 12,000 = 32.5 J/TH;
//       temperature by miner-minutes = (60 x 60 + 60 x 70 + 30 x 80) / 150 = 68; at most 80;
//       coverage: 150 of 3 x 60 miner-minutes = 0.8333 (C belongs to the hour in which it was found)
//   13  with C: 250 TH/s, 8,000 W, 32 J/TH, 70 degrees, at most 85, 3 online of 3
//   16  nothing is known, three miners are missed: coverage 0
//
// The day. Cells with data: 144 - 3 (06:00) - 24 (16:00) = 117: 66 plain, 6 with A only, 45 with C.
//   hashrate  (66 x 150 + 6 x 100 + 45 x 250) / 117 = 21,750 / 117 TH/s
//   expected  (72 x 150 + 45 x 250) / 117 = 22,050 / 117 TH/s
//   power     (66 x 5,000 + 6 x 3,000 + 45 x 8,000) / 117 = 708,000 / 117 W
//   online    (66 x 2 + 6 x 1 + 45 x 3) / 117 = 273 / 117 = 2.3333
//   miner-minutes online: A and B 12 h - 30 - 4 = 686 before noon, 240 from 12 to 16, 240 from 20: 1,166 each, B 60 less = 1,106; C 210 + 240 = 450
//   efficiency (1,166 x 3,000 + 1,106 x 2,000 + 450 x 3,000) / (1,166 x 100 + 1,106 x 50 + 450 x 100) = 7,060,000 / 216,900 J/TH
//   temperature (1,166 x 60 + 1,106 x 70 + 450 x 80) / (1,166 + 1,106 + 450) = 183,380 / 2,722 degrees, at most 85
//   coverage  (1,166 + 1,166 + 450) of (12 x 120 + 12 x 180) = 2,782 / 3,600
const MINUTE_MS = 60_000;
export const DAY_BEGIN_MS = Date.UTC(2026, 2, 2);
export const DAY_END_MS = DAY_BEGIN_MS + 1_440 * MINUTE_MS;

export type Reading = {
  readonly miner: 'A' | 'B' | 'C';
  readonly atMs: number;
  /** Null: the poll failed. */
  readonly reading: { readonly hashrate: number; readonly power: number; readonly temp: number } | null;
};

const TH = 1e12;
export const EXPECTED = { A: 100 * TH, B: 50 * TH, C: 100 * TH } as const;
const READING = {
  A: { hashrate: 100 * TH, power: 3_000, temp: 60 },
  B: { hashrate: 50 * TH, power: 2_000, temp: 70 },
  C: { hashrate: 100 * TH, power: 3_000, temp: 80 },
} as const;
/** Miners are polled at different seconds of the minute. */
const SECOND = { A: 2, B: 31, C: 58 } as const;

const clock = (text: string) => {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * 60 + minutes;
};
const isWithin = (minute: number, from: string, to: string) => minute >= clock(from) && minute < clock(to);

/** The readings of the day in the order of their making, minute by minute. */
export function readingsOfTheDay(): Reading[][] {
  return Array.from({ length: 1_440 }, (_, minute) => {
    const isLost =
      isWithin(minute, '06:00', '06:30') ||
      isWithin(minute, '09:10', '09:14') ||
      minute === clock('10:05') ||
      isWithin(minute, '16:00', '20:00');
    if (isLost) return [];
    const at = (miner: 'A' | 'B' | 'C') => DAY_BEGIN_MS + minute * MINUTE_MS + SECOND[miner] * 1_000;
    const isSilent = isWithin(minute, '08:00', '09:00');
    const readings: Reading[] = [
      { miner: 'A', atMs: at('A'), reading: READING.A },
      { miner: 'B', atMs: at('B'), reading: isSilent ? null : READING.B },
    ];
    if (minute === clock('13:20'))
      readings.push({ miner: 'B', atMs: at('B') + 20_000, reading: { ...READING.B, temp: 85 } });
    if (minute >= clock('12:30')) readings.push({ miner: 'C', atMs: at('C'), reading: READING.C });
    return readings;
  });
}

/** Minutes whose reports arrive last. */
export const isLate = (minute: number) => isWithin(minute, '07:00', '08:00');

type Expected = {
  readonly hashrate_avg: number | null;
  readonly expected_hashrate_avg: number | null;
  readonly power_avg: number | null;
  readonly efficiency: number | null;
  readonly temperature_avg: number | null;
  readonly temperature_max: number | null;
  readonly miners_online_avg: number | null;
  readonly minersTotal: number;
  readonly coverage: number;
};

const bucket = (
  [hashrateTh, expectedTh, power, efficiency, temperature, max, online]: (number | null)[],
  [total, coverage]: readonly [number, number],
): Expected => {
  const inHs = (value: number | null | undefined) => (typeof value === 'number' ? value * TH : null);
  return {
    hashrate_avg: inHs(hashrateTh),
    expected_hashrate_avg: inHs(expectedTh),
    power_avg: power ?? null,
    efficiency: efficiency ?? null,
    temperature_avg: temperature ?? null,
    temperature_max: max ?? null,
    miners_online_avg: online ?? null,
    minersTotal: total,
    coverage,
  };
};

const plain = (coverage: number) => bucket([150, 150, 5_000, 5_000 / 150, 65, 70, 2], [2, coverage]);
const withC = bucket([250, 250, 8_000, 32, 70, 80, 3], [3, 1]);
const nothing = bucket([null, null, null, null, null, null, null], [3, 0]);

export const HOURS: readonly Expected[] = [
  ...Array.from({ length: 6 }, () => plain(1)),
  plain(0.5),
  plain(1),
  bucket([100, 150, 3_000, 30, 60, 60, 1], [2, 1]),
  plain(56 / 60),
  plain(1),
  plain(1),
  bucket([200, 200, 6_500, 32.5, 68, 80, 2.5], [3, 150 / 180]),
  { ...withC, temperature_max: 85 },
  withC,
  withC,
  nothing,
  nothing,
  nothing,
  nothing,
  withC,
  withC,
  withC,
  withC,
];

export const DAY: Expected = bucket(
  [21_750 / 117, 22_050 / 117, 708_000 / 117, 7_060_000 / 216_900, 183_380 / 2_722, 85, 273 / 117],
  [3, 2_782 / 3_600],
);

/** The cells of 09:00 to 09:30: the one with the restart has 2 x 6 of 2 x 10 miner-minutes. */
export const CELLS_FROM_NINE: readonly Expected[] = [plain(1), plain(0.6), plain(1)];

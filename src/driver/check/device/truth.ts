// Compares a reading with what the simulated device says of itself: every field of the truth has the same value in the
// reading, and what the device does not tell is absent.
import { normaliseMac } from '../../../model/identity-facts.ts';
import type { Reading } from '../../../model/reading.ts';
import type { Truth } from '../../../model/simulated/truth.ts';
import { shown } from '../finding.ts';

type Row = readonly [name: string, found: unknown, wanted: unknown];

/** A line for each field that is not so. */
export const untrue = (reading: Reading, truth: Truth): string[] =>
  [...plainRows(reading, truth), ...listRows(reading, truth)]
    .filter(([, found, wanted]) => !isEqual(found, wanted))
    .map(([name, found, wanted]) => `${name} is ${shown(found)} instead of ${shown(wanted)}`);

const orAbsent = <T>(value: T | null) => value ?? undefined;

const plainRows = (reading: Reading, truth: Truth): Row[] => [
  ['make', reading.make, orAbsent(truth.make)],
  ['model', reading.model, orAbsent(truth.model)],
  ['mac', reading.mac === undefined ? '' : normaliseMac(reading.mac), truth.mac],
  ['serialNumber', reading.serialNumber, orAbsent(truth.serial_number)],
  ['firmwareVersion', reading.firmwareVersion, orAbsent(truth.firmware_version)],
  ['hostname', reading.hostname, orAbsent(truth.hostname)],
  ['isMining', reading.isMining, truth.is_mining],
  ['miningMode', reading.miningMode, orAbsent(truth.mining_mode)],
  ['hashrateHs', reading.hashrateHs, orAbsent(truth.hashrate)],
  ['expected.hashrateHs', reading.expected?.hashrateHs, orAbsent(truth.expected_hashrate)],
  ['powerW', reading.powerW, orAbsent(truth.power)],
  ['tempC', reading.tempC, orAbsent(truth.temp)],
  ['uptimeS', reading.uptimeS ?? reading.systemUptimeS, orAbsent(truth.uptime)],
  ['isLightOn', reading.isLightOn, orAbsent(truth.light_on)],
];

const listRows = (reading: Reading, truth: Truth): Row[] => [
  ['errors', reading.errors?.map(({ code }) => code) ?? [], truth.errors.map(({ code }) => code)],
  [
    'fans',
    reading.fans?.map(({ index, rpm }) => [index, rpm]) ?? [],
    truth.fans.map(({ index, rpm }) => [index, orAbsent(rpm)]),
  ],
  [
    'pools',
    reading.pools?.map((pool) => [pool.url, pool.user, pool.difficultyAccepted, pool.difficultyRejected]) ?? [],
    truth.pools.map((pool) => [
      pool.url,
      pool.worker_id,
      orAbsent(pool.difficulty_accepted),
      orAbsent(pool.difficulty_rejected),
    ]),
  ],
  [
    'boards',
    bySlot(reading).map((board) => [board.serialNumber, board.hashrateHs, board.chips, board.frequencyMhz]),
    truth.hashboards.map((board) =>
      [board.serial_number, board.hashrate, board.chips, board.chip_frequency].map(orAbsent),
    ),
  ],
  [
    'psus',
    reading.psus?.map((psu) => [psu.serialNumber, psu.tempC]) ?? [],
    truth.psus.map((psu) => [orAbsent(psu.serial_number), orAbsent(psu.temperature)]),
  ],
];

/** The truth has them in this order. */
const bySlot = ({ boards = [] }: Reading) => boards.toSorted((a, b) => a.slot - b.slot);

/** Equal but for the last digits of a sum of fractions. */
function isEqual(found: unknown, wanted: unknown): boolean {
  if (typeof found === 'number' && typeof wanted === 'number')
    return Math.abs(found - wanted) < (Math.abs(wanted) > 1e9 ? 5e5 : 5e-4);
  if (Array.isArray(found) && Array.isArray(wanted))
    return found.length === wanted.length && found.every((each, nth) => isEqual(each, wanted[nth]));
  return found === wanted;
}

// The boards of an ePIC miner: what is found and enabled, what it hashes, its sensors, and its chips where they are
// told.
import * as kit from '../../src/driver/kit/index.ts';

type Answers = Readonly<Record<'summary' | 'temps' | 'hashrate' | 'capabilities', kit.Answer>>;

const slotOf = (row: kit.Answer) => row.int('Index', { min: 0, max: 63 });
const slotsOf = (rows: readonly kit.Answer[] = []) => rows.flatMap((row) => slotOf(row) ?? []);
const inSlot = (rows: readonly kit.Answer[] | undefined, slot: number) =>
  rows?.find((row) => slotOf(row) === slot) ?? new kit.Answer(undefined);

/** `Hashrate` of a board: MH/s, per cent of the ideal, per cent of errors. */
export const rateOf = (row: kit.Answer) => kit.rateHs(row.list('Hashrate')?.[0], 'M');
export function idealHsOf(row: kit.Answer): number | undefined {
  const [hashrateHs, percent] = [rateOf(row), kit.toNumber(row.list('Hashrate')?.[1], { min: 0 })];
  return hashrateHs && percent && percent > 1 ? hashrateHs / (percent / 100) : undefined;
}

/** A board that is found but switched off has no row among those that hash; one that is not found is no board. */
export function boardsOf({ summary, temps, hashrate, capabilities }: Answers): kit.BoardDraft[] | undefined {
  const [rows, states] = [summary.rows('HBs', 16), summary.rows('HBStatus', 16)];
  if (rows === undefined && states === undefined) return undefined;
  const found = states?.filter((row) => row.bool('Detected') !== false) ?? [];
  const slots = new Set(slotsOf([...found, ...(rows ?? [])]));
  const enabled = states === undefined ? rows : found.filter((row) => row.bool('Enabled') === true);
  const serials = serialsOf(capabilities, slotsOf(enabled));
  return [...slots]
    .toSorted((a, b) => a - b)
    .map((slot): kit.BoardDraft => {
      const row = inSlot(rows, slot);
      const sensors = (inSlot(temps.rows(), slot).list('Data') ?? []).flatMap((value) => kit.toTempC(value) ?? []);
      const hashrateHs = rateOf(row);
      return {
        slot,
        serialNumber: serials.get(slot),
        hashrateHs,
        expectedHashrateHs: idealHsOf(row),
        chips: hashrateHs ? chipsOf(inSlot(hashrate.rows(), slot)) : undefined,
        frequencyMhz: kit.first(row.number('Core Clock Avg', MHZ), clockOf(row.value('Core Clock'))),
        voltageV: row.positive('Input Voltage', 100),
        powerW: row.watts('Input Power'),
        boardTempsC: sensors.length > 0 ? sensors : [row.tempC('Temperature')],
        ...kit.edgesC(sensors),
        isAlive: inSlot(states, slot).bool('Enabled'),
      };
    });
}

const MHZ = { min: 1, max: 10_000 } as const;
/** One of the board, or one per chip. */
const clockOf = (value: unknown): number | undefined =>
  Array.isArray(value)
    ? kit.mean(value.slice(0, 2_048).map((chip) => kit.toNumber(chip, MHZ)))
    : kit.toNumber(value, MHZ);

/** The list has no numbers: it counts only if it has as many as there are boards at work. */
function serialsOf(capabilities: kit.Answer, slots: readonly number[]): ReadonlyMap<number, string | undefined> {
  const written = capabilities.list('Board Serial Numbers', 16)?.filter((serial) => typeof serial === 'string') ?? [];
  const serials = written.map((serial) => kit.toText(serial, 128));
  if (serials.length !== slots.length || serials.includes(undefined)) return new Map();
  return new Map(slots.toSorted((a, b) => a - b).map((slot, place) => [slot, serials[place]]));
}

/** A chip: MH/s, per cent of the ideal, per cent of errors. */
const isHashing = (chip: unknown) => Array.isArray(chip) && typeof chip[0] === 'number' && chip[0] > 0;

/** Chips that hash; while none does, there is no telling. */
const chipsOf = (row: kit.Answer): number | undefined =>
  kit.positive(row.list('Data', 2_048)?.filter(isHashing).length);

/** The hottest board sensor: chips tell no temperature of their own with each poll. */
export const hottestC = (boards: readonly kit.BoardDraft[] = []): number | undefined =>
  kit.first(kit.hottestC(boards.filter(({ isAlive }) => isAlive !== false)), kit.hottestC(boards));

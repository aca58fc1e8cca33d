// A 0, an empty list or an answer that is missing says nothing of its own: no fault, no rest, no mode, no 0 in place of what was told.
import { describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import type { Reading } from '../../src/model/reading.ts';
import { numbersOf } from './mutate.ts';
import { samplesOf } from './samples.ts';

/** Fields in which a 0 of the device is its own statement. */
const ZERO_IS_SAID =
  /^(hashrate\w*|uptimeS|systemUptimeS|boards\.\d+\.(slot|hashrateHs|chips|badChips|hwErrors)|fans\.\d+\.(index|rpm|dutyPercent)|psus\.\d+\.(fanRpm|outputPowerW|outputVoltageV)|pools\.\d+\.(index|accepted|rejected|stale|difficulty\w+)|errors\.\d+\.index)$/;

/** Numbers that stand for a word, or for what is tuned to: 0 is another word, or none. */
const CODES =
  /(^|\.)(Mode\.0\.(Ths|Power)|miningMode|mode|tuner_mode|status|low_power|normal|high_performance|custom)$/;

type Path = readonly (string | number)[];
type Change = { readonly what: string; readonly raw: Readonly<Record<string, unknown>> };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isNumeric = (value: unknown) =>
  (typeof value === 'number' && value !== 0) ||
  (typeof value === 'string' && /^\d[\d.]*$/.test(value) && Number(value) !== 0);

/** Of the hundreds of chips of a board a few stand for all. */
const MOST_ALIKE = 6;

function pathsTo(value: unknown, isWanted: (value: unknown) => boolean, path: Path = []): Path[] {
  const here = path.length > 0 && isWanted(value) ? [path] : [];
  if (!isObject(value)) return here;
  const entries = Object.entries(value).slice(0, Array.isArray(value) ? MOST_ALIKE : undefined);
  return [...here, ...entries.flatMap(([key, entry]) => pathsTo(entry, isWanted, [...path, key]))];
}

function withChange(raw: Readonly<Record<string, unknown>>, path: Path, instead: unknown) {
  const [ask = ''] = path;
  const copy: Record<string, unknown> = { ...raw, [ask]: structuredClone(raw[ask]) };
  let at: object = copy;
  for (const key of path.slice(0, -1)) {
    const next: unknown = Reflect.get(at, key);
    if (!isObject(next)) throw new Error(`no way to ${path.join('.')}`);
    at = next;
  }
  const last = path.at(-1) ?? '';
  Reflect.set(at, last, typeof Reflect.get(at, last) === 'string' && instead === 0 ? '0' : instead);
  return copy;
}

function changesOf(raw: Readonly<Record<string, unknown>>): Change[] {
  const numbers = pathsTo(raw, isNumeric);
  const lists = pathsTo(raw, (value) => Array.isArray(value) && value.length > 0);
  return [
    ...numbers.map((path) => ({ what: `${path.join('.')} = 0`, raw: withChange(raw, path, 0) })),
    ...lists.map((path) => ({ what: `${path.join('.')} = []`, raw: withChange(raw, path, []) })),
    ...Object.keys(raw).map((ask) => ({
      what: `no ${ask}`,
      raw: Object.fromEntries(Object.entries(raw).filter(([name]) => name !== ask)),
    })),
  ];
}

/** What stands for the code of a fault that lost its own. */
const WITHOUT_CODE = ['BOS', 'failure'];

/** What the changed answers say that the whole ones did not. */
function inventions(base: Reading, reading: Reading, what: string): string[] {
  const codes = (base.errors ?? []).map(({ code }) => code);
  // A fault of a part that lost its number is still the fault of that part.
  const partsOnly = codes.map((code) => code.replace(/:.*/, ':0'));
  const known = new Set([...codes, ...partsOnly, ...(codes.length > 0 ? WITHOUT_CODE : [])]);
  const isZeroed = what.endsWith('= 0');
  const before = new Map(numbersOf({ ...base }));
  const isCode = CODES.test(what.replace(/ = 0$/, ''));
  return [
    ...(reading.errors ?? []).filter(({ code }) => !known.has(code)).map(({ code }) => `error ${code}`),
    ...(reading.isMining === false && base.isMining !== false && reading.hashrateHs !== 0 && !isCode
      ? ['is not mining']
      : []),
    ...(reading.miningMode !== undefined && reading.miningMode !== base.miningMode && !isCode
      ? [`mode ${reading.miningMode}`]
      : []),
    ...(['boards', 'fans', 'psus'] as const)
      .filter((name) => reading[name]?.length === 0 && base[name]?.length !== 0)
      // Beside a rate of 0 the machine may have none.
      .filter((name) => name !== 'boards' || reading.hashrateHs !== 0)
      .map((name) => `no ${name}`),
    ...numbersOf({ ...reading })
      .filter(([path, value]) => value === 0 && before.get(path) !== 0 && !(isZeroed && ZERO_IS_SAID.test(path)))
      // A list that lost its first entries moves the others up: their places count from 0.
      .filter(([path]) => !/\.(slot|index)$/.test(path))
      .map(([path]) => `${path} is 0`),
  ];
}

describe.each(drivers.map((driver) => [driver.id, driver] as const))('%s', (_, driver) => {
  test.each(samplesOf(driver).map((sample) => [sample.name, sample] as const))('%s', (_name, { raw, known }) => {
    const base = driver.read(raw, known).reading;
    const changes = changesOf(raw);
    expect(changes.length).toBeGreaterThan(0);
    const found = changes.flatMap((change) => {
      const { reading } = driver.read(change.raw, known);
      return inventions(base, reading, change.what).map((said) => `${change.what}: ${said}`);
    });
    expect(found).toEqual([]);
  });
});

// Check: a 0, an empty list or an answer that is missing says nothing of its own: no fault, no rest, no mode, no 0 in
// place of what was told.
import type { Reading } from '../../../model/reading.ts';
import { type Check, problem, type Subject } from '../finding.ts';
import { type Change, isNumeric, pathsTo, withChange, withTokens } from './change.ts';
import { numbersOf } from './mutate.ts';

/** Fields in which a 0 of the device is its own statement. */
const ZERO_IS_SAID =
  /^(hashrate\w*|uptimeS|systemUptimeS|boards\.\d+\.(slot|hashrateHs|chips|badChips|hwErrors)|fans\.\d+\.(index|rpm|dutyPercent)|psus\.\d+\.(fanRpm|outputPowerW|outputVoltageV)|pools\.\d+\.(index|accepted|rejected|stale|difficulty\w+)|errors\.\d+\.index)$/;

/** Numbers that stand for a word, or for what is tuned to: 0 is another word, or none. */
const CODES =
  /(^|[. ])(WORKMODE|SoftOFF|Mode\.0\.(Ths|Power)|miningMode|mode|tuner_mode|status|low_power|normal|high_performance|custom)$/;

const NUMBER = /[\d.]*[1-9][\d.]*/g;

/** All numbers of a token as 0, and each of them. */
const zeroed = (values: string): [string, string][] => [
  [' = 0', values.replaceAll(/[\d.]+/g, '0')],
  ...[...values.matchAll(NUMBER)].map(({ 0: number, index }, place): [string, string] => [
    `.${place} = 0`,
    `${values.slice(0, index)}0${values.slice(index + number.length)}`,
  ]),
];

function changesOf(raw: Readonly<Record<string, unknown>>): Change[] {
  const numbers = pathsTo(raw, isNumeric);
  const lists = pathsTo(raw, (value) => Array.isArray(value) && value.length > 0);
  return [
    ...numbers.map((path) => ({ what: `${path.join('.')} = 0`, raw: withChange(raw, path, 0) })),
    ...withTokens(raw, zeroed),
    ...lists.map((path) => ({ what: `${path.join('.')} = []`, raw: withChange(raw, path, []) })),
    ...Object.keys(raw).map((ask) => ({
      what: `no ${ask}`,
      raw: Object.fromEntries(Object.entries(raw).filter(([name]) => name !== ask)),
    })),
  ];
}

/**
 * A PSU of an Avalon that answers tells at least its control rail: nothing but zeros is what its controller writes of
 * one that does not answer.
 */
const SILENT_PSU = / PS = 0$/;

/** What stands for the code of a fault that lost its own. */
const WITHOUT_CODE = ['BOS', 'failure'];

/** What the changed answers say that the whole ones did not. */
function inventions(base: Reading, reading: Reading, what: string): string[] {
  const codes = (base.errors ?? []).map(({ code }) => code);
  // A fault of a part that lost its number is still the fault of that part, where the part calls itself faulty.
  const partsOnly = codes.flatMap((code) => (/^(rate|network|fans|temp):/.test(code) ? code.replace(/:.*/, ':0') : []));
  const known = new Set([
    ...codes,
    ...partsOnly,
    ...(codes.length > 0 ? WITHOUT_CODE : []),
    ...(SILENT_PSU.test(what) ? ['PS:silent'] : []),
  ]);
  const isZeroed = what.endsWith('= 0');
  const before = new Map(numbersOf({ ...base }));
  const isRefuted = (path: string) =>
    (reading.boards ?? []).some(({ hashrateHs = 0 }, place) => hashrateHs > 0 && path === `boards.${place}.chips`);
  const isCode = CODES.test(what.replace(/(\.\d+)? = 0$/, ''));
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
      .filter(
        ([path, value]) =>
          value === 0 && before.get(path) !== 0 && !(isZeroed && ZERO_IS_SAID.test(path) && !isRefuted(path)),
      )
      // A list that lost its first entries moves the others up: their places count from 0.
      .filter(([path]) => !/\.(slot|index)$/.test(path))
      .map(([path]) => `${path} is 0`),
  ];
}

export const zeroHunt: Check<Subject> = {
  name: 'zero-hunt',
  owes: 'no fault, rest, mode or 0 of its own where one value of an answer is 0, empty or missing',
  run: ({ driver, folder, samples }) =>
    samples.flatMap(({ name, raw, known }) => {
      const base = driver.read(raw, known).reading;
      return changesOf(raw).flatMap(({ what, raw: changed }) =>
        inventions(base, driver.read(changed, known).reading, what).map((said) =>
          problem(`${name} with ${what}: ${said}`, `let \`read\` in ${folder} leave it undefined there`),
        ),
      );
    }),
};

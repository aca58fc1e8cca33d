// Check: `N/A`, `unknown`, `-`, `null`, `none` and zeros in any spelling name nothing: no model, no version, no part,
// no fault, no state.
import type { Reading } from '../../../model/reading.ts';
import { type Check, problem, type Subject } from '../finding.ts';
import { type Change, pathsTo, withChange } from './change.ts';

const FILLERS = ['N/A', 'unknown', '-', 'null', 'none', '0x0', '00'];

/** Numbers in text are the other hunt's: a 0 in their place may be said. */
const isWord = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' && value.length < 200 && !/^[\d.]+$/.test(value);

const changesOf = (raw: Readonly<Record<string, unknown>>): Change[] =>
  // Each place gets two of the words, others than the place before it.
  pathsTo(raw, isWord).flatMap((path, place) =>
    [0, 3].map((step) => {
      const filler = FILLERS[(place + step) % FILLERS.length] ?? '';
      return { what: `${path.join('.')} = ${filler}`, raw: withChange(raw, path, filler) };
    }),
  );

/**
 * The names and states of a reading, with where they stand. MAC and serial number of the miner itself are judged
 * elsewhere.
 */
function namesOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string')
    return /^(mac|serialNumber|pools\.\d+\.user|errors\.\d+\.(category|message)|miningModePreset)$/.test(path)
      ? []
      : [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => namesOf(entry, path === '' ? key : `${path}.${key}`));
}

function inventions(base: Reading, reading: Reading): string[] {
  // A fault whose code is not told is still one.
  const told = (base.errors ?? []).map(({ code }) => code);
  // A fault whose code, or whose part, is not told is still one.
  const codes = new Set([
    ...told,
    ...(told.length > 0 ? ['unknown', 'BOS'] : []),
    ...told.map((code) => code.replace(/^.*:/, 'unknown:')),
  ]);
  const dead = (read: Reading) => (read.boards ?? []).filter(({ isAlive }) => isAlive === false).length;
  const faulty = (read: Reading) => (read.psus ?? []).filter(({ isOk }) => isOk === false).length;
  return [
    ...namesOf(reading).flatMap(([path, name]) =>
      FILLERS.includes(name) && !/^errors/.test(path) ? [`${path} is called ${name}`] : [],
    ),
    ...(reading.errors ?? []).flatMap(({ code }) => (codes.has(code) ? [] : [`error ${code}`])),
    ...(reading.isMining === false && base.isMining !== false && reading.hashrateHs !== 0 ? ['is not mining'] : []),
    ...(reading.miningMode !== undefined && reading.miningMode !== base.miningMode
      ? [`mode ${reading.miningMode}`]
      : []),
    ...(dead(reading) > dead(base) ? ['a dead board'] : []),
    ...(faulty(reading) > faulty(base) ? ['a faulty power supply'] : []),
  ];
}

export const fillerHunt: Check<Subject> = {
  name: 'filler-hunt',
  owes: 'no name, fault or state from a word that stands for nothing',
  run: ({ driver, folder, samples }) =>
    samples.flatMap(({ name, raw, known }) => {
      const base = driver.read(raw, known).reading;
      return changesOf(raw).flatMap(({ what, raw: changed }) =>
        inventions(base, driver.read(changed, known).reading).map((said) =>
          problem(
            `${name} with ${what}: ${said}`,
            `let \`read\` in ${folder} take ${what.replace(/^.* = /, '')} for nothing`,
          ),
        ),
      );
    }),
};

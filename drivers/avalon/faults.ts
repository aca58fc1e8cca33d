// The fault flags of an Avalon's stats text as errors. All are numbers, 0 = fine; the words of boards and control board
// are bits. `CRC` and `NETFAIL` are counters and `SoftOFF` is a state: none of them is a fault.
import type * as kit from '../../src/driver/kit/index.ts';
import * as tables from './faults.data.ts';
import { numbers } from './tokens.ts';

/** Present and empty = no fault; undefined where the text has none of the places for one. */
export function faults(tokens: kit.Answer): kit.ErrorDraft[] | undefined {
  if (!tables.FAULT_KEYS.some((key) => tokens.has(key))) return undefined;
  const raised = tables.FLAGS.flatMap(({ key, isPerBoard, hasBits, only, ...row }) =>
    numbers(tokens, key)
      .slice(0, 16)
      .flatMap((value, index) => {
        if (!value || (only !== undefined && value !== only)) return [];
        const message = only === undefined ? `${row.message} ${value}` : row.message;
        return {
          code: `${key}:${value}`,
          ...(isPerBoard && { index }),
          ...row,
          message,
          ...(hasBits && meaning(value, row)),
        };
      }),
  );
  return [...psuFaults(tokens), ...raised].slice(0, 64);
}

/** A PSU that answers reports at least its control rail: nothing but zeros is silence. */
export function isPsuSilent(tokens: kit.Answer): boolean {
  const values = numbers(tokens, 'PS');
  return values.length > 1 && values.every((value) => value === 0);
}

function psuFaults(tokens: kit.Answer): kit.ErrorDraft[] {
  const psu = { category: 'psu', severity: 'major', index: 0 } as const;
  if (isPsuSilent(tokens)) return [{ ...psu, code: 'PS:silent', message: 'The PSU does not answer' }];
  const [code] = numbers(tokens, 'PS');
  if (!code) return [];
  const isWord = Number.isInteger(code) && code > 0 && code < 4_096;
  const said = tables.PSU_BITS.flatMap(([bits, words]) => (isWord && (code & bits) !== 0 ? [words] : [])).join(', ');
  return [{ ...psu, code: `PS:${code}`, message: `PSU error ${code}${said === '' ? '' : `: ${said}`}` }];
}

/**
 * What the bits of a word say: the worst of them names the category. A word with others as well is at least as bad as
 * one of which nothing is known.
 */
function meaning(word: number, unknown: tables.Row): tables.Row {
  if (word === tables.BOARD_FAILED && unknown.category === 'hashboard')
    return { ...unknown, severity: 'major', message: `Board failed (error word ${word})` };
  const message = `${unknown.message} ${word}`;
  const isWord = Number.isInteger(word) && word > 0 && word < 2 ** 31;
  const bits = isWord ? tables.BITS.filter(([bit]) => (word & bit) !== 0) : [];
  const worst = tables.SEVERITIES.findLast((severity) => bits.some(([, , each]) => each === severity));
  if (worst === undefined) return { ...unknown, message };
  const [, , , category = unknown.category] = bits.find(([, , severity]) => severity === worst) ?? [];
  const isKnown = (word & ~tables.KNOWN_BITS) === 0 || worst === 'major';
  const words = bits.map(([, each]) => each).join(', ');
  return { category, severity: isKnown ? worst : unknown.severity, message: `${message}: ${words}` };
}

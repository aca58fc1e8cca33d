// The fault flags of an Avalon's stats text as errors. All are numbers, 0 = fine; what the bits of the error words mean is known for few.
// `CRC` and `NETFAIL` are counters and `SoftOFF` is a state: none of them is a fault.
import type { ErrorReading } from '../../src/model/reading.ts';
import { number, numbers, type Tokens } from './tokens.ts';

/** Bit of an ECHU word: a chip went over its temperature. */
const OVERHEAT = 128;
/** Bits that stand in the words of healthy boards (741, 1047): what they mean is not known. */
const SEEN_ON_HEALTHY = 16 | 512;
/** ECHU word of a board that failed. */
const BOARD_FAILED = 513;

type Row = Pick<ErrorReading, 'category' | 'severity'> & { readonly message: string };

const SINGLE: Readonly<Record<string, Row>> = {
  POWS: { category: 'psu', severity: 'major', message: 'PSU state flag' },
  POOLS: { category: 'pool', severity: 'major', message: 'Pool state flag' },
  ECMM: { category: 'controlBoard', severity: 'major', message: 'Control board error word' },
  FanErr: { category: 'fan', severity: 'major', message: 'Fan fault' },
};

const FAULT_KEYS = ['PS', 'HASHS', 'ECHU', ...Object.keys(SINGLE)];

/** Present and empty = no fault; undefined where the text has none of the places for one. */
export function faults(tokens: Tokens): ErrorReading[] | undefined {
  if (!FAULT_KEYS.some((key) => tokens.has(key))) return undefined;
  return [
    ...psuFaults(tokens),
    ...Object.entries(SINGLE).flatMap(([key, row]) => {
      const value = number(tokens, key);
      return value ? [{ code: `${key}:${value}`, ...row, message: `${row.message} ${value}` }] : [];
    }),
    ...perBoard(tokens, 'HASHS', (value) => value !== 0 && board('major', `Hashboard flag ${value}`)),
    ...perBoard(tokens, 'ECHU', (value) => value !== 0 && echu(value)),
    // Other builds print the number of chips here (160): only 1 can be a flag.
    ...perBoard(
      tokens,
      'EEPROM',
      (value) => value === 1 && { category: 'eeprom', severity: 'major', message: 'EEPROM fault' },
    ),
  ].slice(0, 64);
}

/** A PSU that answers reports at least its control rail: nothing but zeros is silence. */
export function isPsuSilent(tokens: Tokens): boolean {
  const values = numbers(tokens, 'PS');
  return values.length > 1 && values.every((value) => value === 0);
}

function psuFaults(tokens: Tokens): ErrorReading[] {
  if (isPsuSilent(tokens)) {
    return [{ code: 'PS:silent', category: 'psu', severity: 'major', message: 'The PSU does not answer', index: 0 }];
  }
  const code = number(tokens, 'PS');
  return code
    ? [{ code: `PS:${code}`, category: 'psu', severity: 'major', message: `PSU error ${code}`, index: 0 }]
    : [];
}

const board = (severity: 'info' | 'minor' | 'major', message: string): Row => ({
  category: 'hashboard',
  severity,
  message,
});

function echu(word: number): Row {
  if (word === BOARD_FAILED) return board('major', `Board failed (error word ${word})`);
  if (Number.isInteger(word) && (word & OVERHEAT) !== 0) {
    return { category: 'temperature', severity: 'major', message: `Chips too hot (error word ${word})` };
  }
  const isHarmless = Number.isInteger(word) && (word & ~SEEN_ON_HEALTHY) === 0;
  return board(isHarmless ? 'info' : 'minor', `Board error word ${word}`);
}

function perBoard(tokens: Tokens, key: string, judge: (value: number) => Row | false): ErrorReading[] {
  return numbers(tokens, key)
    .slice(0, 16)
    .flatMap((value, index) => {
      const row = value === undefined ? false : judge(value);
      return row === false ? [] : [{ code: `${key}:${value}`, ...row, index }];
    });
}

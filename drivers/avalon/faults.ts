// The fault flags of an Avalon's stats text as errors. All are numbers, 0 = fine; the words of boards and control board
// are bits. `CRC` and `NETFAIL` are counters and `SoftOFF` is a state: none of them is a fault.
import type { ErrorReading } from '../../src/model/reading.ts';
import { number, numbers, type Tokens } from './tokens.ts';

type Severity = 'info' | 'minor' | 'major';
type Row = Pick<ErrorReading, 'category'> & { readonly severity: Severity; readonly message: string };

/**
 * Bits of `ECHU` and `ECMM`, as the maker's repair guide has them: `info` is what it says to ignore, and stands in the
 * words of healthy boards.
 */
const BITS: readonly (readonly [bit: number, words: string, Severity, category?: ErrorReading['category']])[] = [
  [1, 'idle', 'minor'],
  [2, 'broken messages', 'info'],
  [4, 'no fan found', 'major', 'fan'],
  [8, 'locked', 'minor'],
  [16, 'too many messages', 'info'],
  [32, 'buffer overflow', 'info'],
  [64, 'too hot', 'major', 'temperature'],
  [128, 'was too hot', 'major', 'temperature'],
  [256, 'not all chips answer', 'minor', 'chip'],
  [512, 'chips failed their test', 'info'],
  [1_024, 'regulator not known', 'major'],
  [2_048, 'no good power', 'major'],
  [4_096, 'temperature sensor failed', 'major'],
  [8_192, 'wrong voltage', 'major'],
  [16_384, 'wrong core voltage', 'major'],
  [32_768, 'broken messages of the regulator', 'info'],
  [65_536, 'clock not set', 'minor'],
  [131_072, 'hash unit failed', 'minor'],
];
const KNOWN_BITS = 262_143;

/** Bits of the first value of `PS`, as the maker's manual has them. */
const PSU_BITS: readonly (readonly [bits: number, words: string])[] = [
  [1, 'input voltage low'],
  [2 | 4 | 8, 'too hot'],
  [16, 'input over current'],
  [32, 'output voltage low'],
  [64, 'output over current'],
  [256 | 512 | 1_024, 'over current'],
  [2_048, 'fan failed'],
];
const SEVERITIES = ['info', 'minor', 'major'] as const;
/** ECHU word of a board that failed. */
const BOARD_FAILED = 513;

const SINGLE: Readonly<Record<string, Row>> = {
  POWS: { category: 'psu', severity: 'major', message: 'PSU state flag' },
  POOLS: { category: 'pool', severity: 'major', message: 'Pool state flag' },
  FanErr: { category: 'fan', severity: 'major', message: 'Fan fault' },
};

const FAULT_KEYS = ['PS', 'HASHS', 'ECHU', 'ECMM', ...Object.keys(SINGLE)];

/** Present and empty = no fault; undefined where the text has none of the places for one. */
export function faults(tokens: Tokens): ErrorReading[] | undefined {
  if (!FAULT_KEYS.some((key) => tokens.has(key))) return undefined;
  return [
    ...psuFaults(tokens),
    ...Object.entries(SINGLE).flatMap(([key, row]) => {
      const value = number(tokens, key);
      return value ? [{ code: `${key}:${value}`, ...row, message: `${row.message} ${value}` }] : [];
    }),
    ...controllerFaults(tokens),
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
  if (!code) return [];
  const isWord = Number.isInteger(code) && code > 0 && code < 4_096;
  const said = PSU_BITS.flatMap(([bits, words]) => (isWord && (code & bits) !== 0 ? [words] : [])).join(', ');
  const message = `PSU error ${code}${said === '' ? '' : `: ${said}`}`;
  return [{ code: `PS:${code}`, category: 'psu', severity: 'major', message, index: 0 }];
}

function controllerFaults(tokens: Tokens): ErrorReading[] {
  const word = number(tokens, 'ECMM');
  const unknown = { category: 'controlBoard', severity: 'major', message: 'Control board error word' } as const;
  return word ? [{ code: `ECMM:${word}`, ...told(word, unknown) }] : [];
}

/**
 * What the bits of a word say: the worst of them names the category. A word with others as well is at least as bad as
 * one of which nothing is known.
 */
function told(word: number, unknown: Row): Row {
  const message = `${unknown.message} ${word}`;
  const isWord = Number.isInteger(word) && word > 0 && word < 2 ** 31;
  const bits = isWord ? BITS.filter(([bit]) => (word & bit) !== 0) : [];
  const worst = SEVERITIES.findLast((severity) => bits.some(([, , each]) => each === severity));
  if (worst === undefined) return { ...unknown, message };
  const [, , , category = unknown.category] = bits.find(([, , severity]) => severity === worst) ?? [];
  return {
    category,
    severity: (word & ~KNOWN_BITS) === 0 || worst === 'major' ? worst : unknown.severity,
    message: `${message}: ${bits.map(([, words]) => words).join(', ')}`,
  };
}

const board = (severity: Severity, message: string): Row => ({
  category: 'hashboard',
  severity,
  message,
});

function echu(word: number): Row {
  if (word === BOARD_FAILED) return board('major', `Board failed (error word ${word})`);
  return told(word, board('minor', 'Board error word'));
}

function perBoard(tokens: Tokens, key: string, judge: (value: number) => Row | false): ErrorReading[] {
  return numbers(tokens, key)
    .slice(0, 16)
    .flatMap((value, index) => {
      const row = value === undefined ? false : judge(value);
      return row === false ? [] : [{ code: `${key}:${value}`, ...row, index }];
    });
}

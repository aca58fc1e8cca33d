// The fault flags of Avalons and what they mean: single flags, and words whose bits stand for troubles.
import type { ErrorCategory } from '../../src/model/flags/flags.ts';

export type Severity = 'info' | 'minor' | 'major';
export type Row = { readonly category: ErrorCategory; readonly severity: Severity; readonly message: string };

/**
 * Bits of `ECHU` and `ECMM`, as the maker's repair guide has them: `info` is what it says to ignore, and stands in the
 * words of healthy boards.
 */
export const BITS: readonly (readonly [bit: number, words: string, Severity, category?: ErrorCategory])[] = [
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
export const KNOWN_BITS = 262_143;

/** Bits of the first value of `PS`, as the maker's manual has them. */
export const PSU_BITS: readonly (readonly [bits: number, words: string])[] = [
  [1, 'input voltage low'],
  [2 | 4 | 8, 'too hot'],
  [16, 'input over current'],
  [32, 'output voltage low'],
  [64, 'output over current'],
  [256 | 512 | 1_024, 'over current'],
  [2_048, 'fan failed'],
];
export const SEVERITIES = ['info', 'minor', 'major'] as const;

/** ECHU word of a board that failed. */
export const BOARD_FAILED = 513;

/**
 * Flags and words that are 0 where nothing is wrong. `only` = no other value is a fault: other builds print the number of chips there (160).
 */
export const FLAGS: readonly (Row & {
  readonly key: string;
  readonly isPerBoard?: true;
  readonly hasBits?: true;
  readonly only?: number;
})[] = [
  { key: 'POWS', category: 'psu', severity: 'major', message: 'PSU state flag' },
  { key: 'POOLS', category: 'pool', severity: 'major', message: 'Pool state flag' },
  { key: 'FanErr', category: 'fan', severity: 'major', message: 'Fan fault' },
  { key: 'ECMM', category: 'controlBoard', severity: 'major', message: 'Control board error word', hasBits: true },
  { key: 'HASHS', category: 'hashboard', severity: 'major', message: 'Hashboard flag', isPerBoard: true },
  {
    key: 'ECHU',
    category: 'hashboard',
    severity: 'minor',
    message: 'Board error word',
    isPerBoard: true,
    hasBits: true,
  },
  { key: 'EEPROM', category: 'eeprom', severity: 'major', message: 'EEPROM fault', isPerBoard: true, only: 1 },
];

/** One of these shows that the build tells of faults. */
export const FAULT_KEYS = ['PS', 'HASHS', 'ECHU', 'ECMM', 'POWS', 'POOLS', 'FanErr'] as const;

// Words in the messages of firmwares that report troubles in sentences without codes, and what such a sentence is
// about.
import type { ErrorCategory } from '../../../model/flags/flags.ts';

/** First match wins. */
const WORDS: readonly { readonly pattern: RegExp; readonly category: ErrorCategory }[] = [
  { pattern: /failed to resolve|dns|network|unreachable|dhcp/i, category: 'network' },
  { pattern: /pool|stratum|no (valid )?job/i, category: 'pool' },
  { pattern: /\bfans?\b/i, category: 'fan' },
  { pattern: /\bpsu\b|power (supply|unit)|\bapw\d/i, category: 'psu' },
  { pattern: /overheat|temperature|too hot|thermal|\bhot\b/i, category: 'temperature' },
  { pattern: /hash ?(board|chain)|\bchains?\b|\bchips?\b|\basic\b|\bpic\b|eeprom/i, category: 'hashboard' },
  { pattern: /tuner|tuning|hash ?rate/i, category: 'performance' },
  { pattern: /upgrade|firmware/i, category: 'firmware' },
  { pattern: /licen[cs]e|config/i, category: 'config' },
];

/** `unknown` when no word is known. */
export const categoryOfWords = (words: string): ErrorCategory =>
  WORDS.find(({ pattern }) => pattern.test(words))?.category ?? 'unknown';

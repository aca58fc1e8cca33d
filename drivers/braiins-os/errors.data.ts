// Words in the messages of Braiins OS and what they are about. There is no table of codes: the firmware tells in sentences. First match wins.
import type { ErrorCategory } from '../../src/model/flags.ts';

export const WORDS: readonly { readonly pattern: RegExp; readonly category: ErrorCategory }[] = [
  { pattern: /failed to resolve|dns|network|unreachable|dhcp/i, category: 'network' },
  { pattern: /pool|stratum|no (valid )?job/i, category: 'pool' },
  { pattern: /\bfans?\b/i, category: 'fan' },
  { pattern: /\bpsu\b|power (supply|unit)|\bapw\d/i, category: 'psu' },
  { pattern: /overheat|temperature|too hot|thermal|\bhot\b/i, category: 'temperature' },
  { pattern: /hash ?(board|chain)|\bchips?\b|\basic\b|\bpic\b|eeprom/i, category: 'hashboard' },
  { pattern: /tuner|tuning|hash ?rate/i, category: 'performance' },
  { pattern: /upgrade|firmware/i, category: 'firmware' },
  { pattern: /licen[cs]e|config/i, category: 'config' },
];

// What the one error code of Innosilicon means; 0 is none.
import type { ErrorCategory } from '../../src/model/flags/flags.ts';

export const ERRORS: Readonly<Record<string, readonly [message: string, category: ErrorCategory]>> = {
  21: ['No plug signal from a board', 'hashboard'],
  22: ['No I2C connection to the power supply', 'psu'],
  23: ['SPI blocked on every board', 'hashboard'],
  24: ['No SPI from some boards', 'hashboard'],
  25: ['The frequency could not be set', 'hashboard'],
  26: ['The voltage could not be set', 'hashboard'],
  27: ['Chips failed their self test', 'chip'],
  28: ['SPI fault on a board', 'hashboard'],
  29: ['No I2C connection to the power supply', 'psu'],
  30: ['No connection to a pool', 'pool'],
  31: ['Single chips are damaged', 'chip'],
  32: ['Stopped by heat', 'temperature'],
  33: ['Fault on a board', 'hashboard'],
  34: ['Data cables in the wrong order', 'hashboard'],
  35: ['No output from the power supply', 'psu'],
  36: ['Fault on a board', 'hashboard'],
  37: ['Control board and hashboard do not match', 'config'],
  40: ['Output of the power supply is not normal', 'psu'],
  41: ['Output of the power supply is not normal', 'psu'],
  42: ['Fault on a board', 'hashboard'],
};

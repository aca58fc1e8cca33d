// Fault codes that newer stock firmware gives on port 6060 and the faults of `summary.cgi`. Boards are counted from 0 where the code names one.
import type { ErrorReading } from '../../src/model/reading.ts';

export const CODES: Readonly<Record<string, Omit<ErrorReading, 'code'>>> = {
  'R:1': { message: 'Hashrate low', category: 'hashrate', severity: 'minor' },
  'N:1': { message: 'Hashrate above normal', category: 'hashrate', severity: 'minor' },
  'V:1': { message: 'PSU initialisation failed', category: 'psu', severity: 'major' },
  'V:2': { message: 'PSU not calibrated', category: 'psu', severity: 'major' },
  'J0:8': { message: 'Fewer hashboards found than expected', category: 'hashboard', severity: 'major' },
  'P:1': { message: 'Over-temperature protection', category: 'temperature', severity: 'major' },
  'P:2': { message: 'Temperature too low', category: 'temperature', severity: 'minor' },
  'J0:6': { message: 'Hashboard temperature sensor fault', category: 'temperature', severity: 'major', index: 0 },
  'M:1': { message: 'Memory allocation failed', category: 'software', severity: 'major' },
  'L255:2': { message: 'No matching level for mixed boards', category: 'config', severity: 'major' },
  'J1:4': { message: 'Hashboard EEPROM fault (number 1)', category: 'eeprom', severity: 'major' },
  'J2:4': { message: 'Hashboard EEPROM fault (number 2)', category: 'eeprom', severity: 'major' },
  'J3:4': { message: 'Hashboard EEPROM fault (number 3)', category: 'eeprom', severity: 'major' },
  'J4:4': { message: 'Hashboard EEPROM fault (number 4)', category: 'eeprom', severity: 'major' },
  'J5:4': { message: 'Hashboard EEPROM fault (number 5)', category: 'eeprom', severity: 'major' },
  'J6:4': { message: 'Hashboard EEPROM fault (number 6)', category: 'eeprom', severity: 'major' },
  'J7:4': { message: 'Hashboard EEPROM fault (number 7)', category: 'eeprom', severity: 'major' },
  'J0:2': {
    message: 'Hashboard 0: fewer chips found than expected',
    category: 'hashboard',
    severity: 'major',
    index: 0,
  },
  'L0:1': {
    message: 'Hashboard 0: voltage or frequency above the limit',
    category: 'config',
    severity: 'major',
    index: 0,
  },
  'L0:2': {
    message: 'Hashboard 0: voltage and frequency do not match',
    category: 'config',
    severity: 'major',
    index: 0,
  },
  'J1:2': {
    message: 'Hashboard 1: fewer chips found than expected',
    category: 'hashboard',
    severity: 'major',
    index: 1,
  },
  'L1:1': {
    message: 'Hashboard 1: voltage or frequency above the limit',
    category: 'config',
    severity: 'major',
    index: 1,
  },
  'L1:2': {
    message: 'Hashboard 1: voltage and frequency do not match',
    category: 'config',
    severity: 'major',
    index: 1,
  },
  'J2:2': {
    message: 'Hashboard 2: fewer chips found than expected',
    category: 'hashboard',
    severity: 'major',
    index: 2,
  },
  'L2:1': {
    message: 'Hashboard 2: voltage or frequency above the limit',
    category: 'config',
    severity: 'major',
    index: 2,
  },
  'L2:2': {
    message: 'Hashboard 2: voltage and frequency do not match',
    category: 'config',
    severity: 'major',
    index: 2,
  },
};

/** `type` of an entry of `status` in `summary.cgi`. */
export const STATUS_TYPES: Readonly<Record<string, ErrorReading['category']>> = {
  rate: 'hashrate',
  network: 'network',
  fans: 'fan',
  temp: 'temperature',
};

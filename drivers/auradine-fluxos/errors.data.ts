// What the lamp of an Auradine machine says of it, by code. The lamp shows one thing at a time: while it blinks to be found it shows no fault.
import type { ErrorReading } from '../../src/model/reading.ts';

export const LOCATE = 3;
export const NORMAL = 2;

export const LAMP: Readonly<Record<number, Pick<ErrorReading, 'category' | 'severity'> & { message: string }>> = {
  0: { message: 'No pattern at all', category: 'state', severity: 'info' },
  1: { message: 'No power', category: 'psu', severity: 'major' },
  2: { message: 'Normal', category: 'state', severity: 'info' },
  3: { message: 'Blinks to be found', category: 'state', severity: 'info' },
  4: { message: 'Temperature fault', category: 'temperature', severity: 'major' },
  5: { message: 'Pool configuration fault', category: 'pool', severity: 'major' },
  6: { message: 'Network fault', category: 'network', severity: 'major' },
  7: { message: 'Control board fault', category: 'controlBoard', severity: 'major' },
  8: { message: 'Hashrate low', category: 'hashrate', severity: 'major' },
  101: { message: 'Lamp pattern 1 of the owner', category: 'state', severity: 'info' },
  102: { message: 'Lamp pattern 2 of the owner', category: 'state', severity: 'info' },
};

// The faults that AxeOS and its kin tell of, by the key that tells.
import type { ErrorReading } from '../../src/model/reading.ts';

export const OVERHEATED: ErrorReading = {
  code: 'overheat_mode:1',
  message: 'Stopped by heat; stays so until it is cleared and restarted',
  category: 'temperature',
  severity: 'critical',
};

/** The message is the device's own. */
export const POWER_FAULT = { code: 'power_fault', category: 'psu', severity: 'major' } as const satisfies ErrorReading;
export const HARDWARE_FAULT = { code: 'hardware_fault', severity: 'major' } as const;

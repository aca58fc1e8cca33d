// The states that Iceriver tells of itself: false means that the firmware finds it wrong.
import type { ErrorReading } from '../../src/model/reading.ts';

export const STATES = [
  { code: 'netstate', message: 'No connection to a pool', category: 'pool', severity: 'major' },
  { code: 'fanstate', message: 'A fan does not turn as it should', category: 'fan', severity: 'major' },
  { code: 'tempstate', message: 'Temperature not as it should be', category: 'temperature', severity: 'major' },
] as const satisfies readonly ErrorReading[];

// Events of LuxOS that are known by their code; for the others see errors.ts.
import type { ErrorReading } from '../../src/model/reading.ts';

export const EVENTS: Readonly<Record<string, Pick<ErrorReading, 'category' | 'severity'> & { message: string }>> = {
  MINER_TUNED: { severity: 'info', message: 'Tuning finished', category: 'state' },
  MINER_TUNING: { severity: 'info', message: 'Tuning in progress', category: 'state' },
  IDLE: { severity: 'info', message: 'Miner idle', category: 'state' },
  SLEEP: { severity: 'info', message: 'Miner asleep (curtailed)', category: 'state' },
  REBOOT_USER: { severity: 'info', message: 'Reboot asked by user', category: 'state' },
  SHUTDOWN_USER: { severity: 'info', message: 'Shutdown asked by user', category: 'state' },
  REBOOT_SYSINIT: { severity: 'info', message: 'Board reboot during system start', category: 'state' },
  HASH_ON_DISCONNECT: { severity: 'info', message: 'Hashing without pool', category: 'state' },
  NOPIC_PROTECTION: { severity: 'minor', message: 'Shutdown by NOPIC protection', category: 'hashboard' },
  REBOOT_NOT_HASHING: { severity: 'minor', message: 'Board reboot because it did not hash', category: 'hashboard' },
};

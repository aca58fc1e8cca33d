// The process's log: JSON lines for machines, readable lines on a terminal. Secrets never get here (base/secrets.ts), and known names are cut.
import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '../../base/log.ts';
import type { CliContext } from './terminal.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** A log whose level can be changed while it is used. */
export type AdjustableLog = Log & { level: string };

/** `to` names the stream that the lines go to. */
export function createLog(
  { stdout, stderr }: Pick<CliContext, 'stdout' | 'stderr'>,
  to: 'stdout' | 'stderr',
  level: Level,
): AdjustableLog {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['password', 'token', 'key', 'authorization', '*.password', '*.token', '*.authorization'],
      censor: '[secret]',
    },
  };
  const stream = to === 'stdout' ? stdout : stderr;
  return stream.isTTY
    ? pino(options, pretty({ sync: true, translateTime: 'SYS:HH:MM:ss', destination: stream }))
    : pino(options, stream);
}

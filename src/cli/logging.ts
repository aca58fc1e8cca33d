// The process's log: JSON lines for machines, readable lines on a terminal. Secrets never get here (base/secrets.ts), and known names are cut.
import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '../base/log.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

export function createLog(stream: NodeJS.WriteStream, level: Level): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ['password', 'token', 'key', 'authorization', '*.password', '*.token', '*.authorization'], censor: '[secret]' },
  };
  return stream.isTTY
    ? pino(options, pretty({ sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss', destination: stream.fd === 2 ? 2 : 1 }))
    : pino(options, pino.destination({ dest: stream.fd === 2 ? 2 : 1, sync: false }));
}

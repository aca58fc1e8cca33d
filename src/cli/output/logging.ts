// The log of the process: JSON lines for programs, readable lines on a terminal. Known secret fields are removed
// (base/secrets.ts).
import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '../../base/log.ts';
import { visibleLines } from '../../model/plain-text.ts';
import type { CliContext } from './terminal.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** A log whose level can be changed while it is used. */
export type AdjustableLog = Log & { level: string };

/** A JSON log line without invisible characters: text of a peer must not change what a terminal shows. */
export const visibleLine = (json: string): string =>
  visibleLines(json).replaceAll(ESCAPED, (found) => (found === '\\\\' ? found : ' '));
/** Control codes as JSON writes them; a written backslash goes before, so that what follows it is text. */
const ESCAPED = /\\\\|\\u00[01][0-9a-f]|\\[bfr]/gi;

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
  const hooks = { streamWrite: visibleLine };
  const stream = to === 'stdout' ? stdout : stderr;
  return stream.isTTY
    ? pino({ ...options, hooks }, pretty({ sync: true, translateTime: 'SYS:HH:MM:ss', destination: stream }))
    : pino({ ...options, hooks }, stream);
}

// Events of LuxOS as errors. An unknown code is kept and the device's words, and is `unknown`.
import type { ErrorReading } from '../../src/model/reading.ts';
import { present } from '../_dialects/cgminer.ts';
import { EVENTS } from './errors.data.ts';
import type { EventRow } from './replies.ts';

const SEVERE = /FAILURE|PANIC|SHUTDOWN/;

/** Undefined when the device was not asked; the message is the device's own where it has one, with what it is about. */
export function errors(rows: readonly EventRow[] | undefined): ErrorReading[] | undefined {
  return rows?.flatMap(({ Code, Description, Target, ID }) => {
    if (Code === undefined) return [];
    const known = Object.hasOwn(EVENTS, Code) ? EVENTS[Code] : undefined;
    const index = Target?.toUpperCase() === 'MINER' ? undefined : ID;
    const about = [Target, index].filter((part) => part !== undefined).join(' ');
    const words = Description ?? known?.message;
    const entry: ErrorReading = {
      code: Code,
      category: known?.category ?? 'unknown',
      severity: known?.severity ?? (SEVERE.test(Code.toUpperCase()) ? 'major' : 'minor'),
    };
    return [{ ...entry, ...present({ message: words && (about === '' ? words : `[${about}] ${words}`), index }) }];
  });
}

// Which errors of PostgreSQL and its driver mean that the database takes no work now: the same statement may succeed
// later. Pure.
import pg from 'pg';
import { DatabaseError } from '../../../base/errors.ts';

/** SQLSTATE classes: connection, resources, the system under the server. */
const CLASSES: ReadonlySet<string> = new Set(['08', '53', '58']);
const STATES: ReadonlySet<string> = new Set([
  // The server stops, starts, has crashed, drops the database, or ends an idle session.
  ...['57P01', '57P02', '57P03', '57P04', '57P05'],
  // A statement, a wait for a lock, a transaction took longer than it may.
  ...['57014', '55P03', '25P03', '25P04'],
  // It lets this role or database in no more: a password was changed, the database is restored.
  ...['28000', '28P01', '3D000'],
]);
/** Of a connection that may write: the server has become a standby. */
const READ_ONLY = '25006';

/** The server answers, so only this statement or connection fails. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !error.code?.startsWith('57P');

/** `mayWrite`: the error is of a connection that may write. */
export function isAway(error: unknown, { mayWrite = true } = {}): boolean {
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error;
    return CLASSES.has(code.slice(0, 2)) || STATES.has(code) || (mayWrite && code === READ_ONLY);
  }
  // Of a host with several addresses each has its own.
  if (error instanceof AggregateError) return error.errors.some((one) => isAway(one));
  // What the system reports of a socket names the call; what the driver reports of its connection has no class of its
  // own.
  return error instanceof Error && ('syscall' in error || Object.getPrototypeOf(error) === Error.prototype);
}

/** The error as callers of the store get it. */
export const translated = (error: unknown, of: { readonly mayWrite?: boolean } = {}): unknown =>
  isAway(error, of) ? new DatabaseError('database.away', undefined, error) : error;

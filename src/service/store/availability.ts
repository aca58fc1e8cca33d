// Whether the database takes work, as what watches it has last reported. Who waits for the database hears at once that
// it is away. It asks the database nothing itself.
import { DatabaseError } from '../../base/errors.ts';
import type { Availability } from './databases.ts';

export type ReportedAvailability = Availability & {
  /** The database does not answer; `cause` is for the log. */
  away(cause: unknown): void;
  /** It answers again. */
  back(): void;
  /** Its schema is newer than this copy knows: for good. `text` says which version to install. */
  outdated(text: string): void;
};

export function createAvailability(): ReportedAvailability {
  const listeners: ((unavailable: DatabaseError | undefined) => void)[] = [];
  let current: DatabaseError | undefined;
  let lost = new AbortController();
  const change = (next: DatabaseError | undefined) => {
    if (current?.code === 'database.newer' || current?.code === next?.code) return;
    current = next;
    if (next === undefined) lost = new AbortController();
    else lost.abort(next);
    for (const listener of listeners) listener(next);
  };
  return {
    unavailable: () => current,
    lost: () => lost.signal,
    onChange: (listener) => void listeners.push(listener),
    away: (cause) => change(new DatabaseError('database.away', 'the database does not answer', cause)),
    back: () => change(undefined),
    outdated: (text) => change(new DatabaseError('database.newer', text)),
  };
}

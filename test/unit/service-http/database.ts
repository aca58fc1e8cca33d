// Looks into the database of a rig beside the running service, and sets what has no door yet.
import { queryDatabase } from '../../support/database.ts';
import type { Rig } from './rig.ts';

/** Rows of a statement with `?` for each value, on a connection of its own. */
export const query = (rig: Pick<Rig, 'databasePath'>, text: string, ...values: (string | number | null)[]) =>
  queryDatabase(rig.databasePath, text, ...values);

// The copies of the databases from before an update, with what the agent has to know of it when they are put back.
import { basename, join } from 'node:path';
import { beginNewEpochs } from '../../agent/outbox/epoch-reset.ts';
import { restoreDatabases } from '../../update/install/database-copies.ts';
import { databaseOf, EMBEDDED } from '../run/local-service.ts';

/** Gives the names of those that were put back. */
export function restoreCopies(stateDir: string): readonly string[] {
  const restored = restoreDatabases(stateDir);
  // The farm's own service was put back to the same moment and agrees; the company's was not.
  const inStep = restored.includes(basename(databaseOf(stateDir))) ? [EMBEDDED] : [];
  for (const name of restored) beginNewEpochs(join(stateDir, name), inStep);
  return restored;
}

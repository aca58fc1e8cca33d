// After a kill or a power cut in the middle of an update: what was begun is undone, unless the new version had proven itself already. An update that
// was cut short is not called broken.
import { rmSync } from 'node:fs';
import { goBack, startAgain, succeed, type UpdateParts, undo } from './install.ts';
import { incomingPath, linkedVersion } from './layout.ts';
import type { Outcome } from './notes.ts';
import { provenLink } from './places.ts';

const INTERRUPTED = 'interrupted by a kill or a power cut';

/**
 * What became of the update that was under way; undefined when there was none. Whoever calls it holds the lock. A journal that is there all the same
 * afterwards says that it has to be called again before anything is installed.
 */
export async function recover(parts: UpdateParts): Promise<Outcome | undefined> {
  const { places, notes } = parts;
  rmSync(incomingPath(places), { force: true });
  const journal = notes.journal();
  // One that makes no sense cannot be followed: it is taken away, what is installed stays.
  if (journal === undefined) {
    notes.setJournal(undefined);
    return undefined;
  }
  switch (journal.step) {
    case 'verifying':
    case 'staging':
    case 'trying':
      return undo(parts, journal, 'interrupted', `${INTERRUPTED} before anything was changed`);
    case 'saving':
      await startAgain(parts);
      return undo(parts, journal, 'interrupted', `${INTERRUPTED} before the switch`);
    case 'switching':
    case 'watching':
      if (journal.to !== null && linkedVersion(provenLink(places)) === journal.to) return succeed(parts, journal);
      return goBack(parts, journal, `${INTERRUPTED} before the new version had proven itself`, 'interrupted');
    case 'returning':
      return goBack(parts, journal, journal.reason ?? INTERRUPTED, 'rolled-back');
  }
}

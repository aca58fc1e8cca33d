// Work that is tried again and again: one step that fails holds up no other, and is logged when its cause is news.
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';

export type Steps = {
  /** Never throws. `what` is a fixed text: what was tried. */
  run(what: string, step: () => void): void;
};

export function createSteps(log: Log): Steps {
  const causes = new Map<string, string>();
  return {
    run(what, step) {
      try {
        step();
        causes.delete(what);
      } catch (error) {
        const cause = renderError(error);
        if (causes.get(what) !== cause) log.error({ error: cause }, what);
        causes.set(what, cause);
      }
    },
  };
}

// For proofs, which are pure: what a look shows is asked of the driver before the look is judged, for a driver may run
// in another process. It judges nothing.
import type { Reading } from '../../../../model/reading.ts';
import type { Execution } from '../execution.ts';
import type { Execution as Judged } from './effect.ts';
import type { Look } from './proof.ts';

export type AskedBefore = {
  readonly execution: Judged;
  /** Of the looks, only the newest has an answer. Never throws: a driver that breaks cannot tell. */
  ask(look: Look): Promise<void>;
};

export function askedBefore(execution: Execution): AskedBefore {
  const { rule, params, ability, task } = execution;
  if (rule?.shows === undefined) return { execution: { ...execution, rule: withoutShows(rule) }, async ask() {} };
  /** By the version of the reading, which is all that a proof changes in it. */
  const answers = new Map<string | undefined, boolean | undefined>();
  const shownIn = async (reading: Reading): Promise<boolean | undefined> => {
    try {
      return await rule.shows?.(reading, params);
    } catch {
      return undefined;
    }
  };
  return {
    execution: { ...execution, rule: { ...rule, shows: ({ firmwareVersion }) => answers.get(firmwareVersion) } },
    async ask(look) {
      answers.clear();
      if (typeof look === 'string') return;
      const before = ability === 'firmware' ? task.baseline?.firmwareVersion : undefined;
      if (before !== undefined) answers.set(before, await shownIn({ ...look, firmwareVersion: before }));
      answers.set(look.firmwareVersion, await shownIn(look));
    },
  };
}

function withoutShows(rule: Execution['rule']): Judged['rule'] {
  if (rule === undefined) return undefined;
  const { shows: _, ...rest } = rule;
  return rest;
}

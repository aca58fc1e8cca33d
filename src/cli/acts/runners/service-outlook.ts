// What an act by a service comes to, from what each agent says of its part. Pure.
import type { z } from 'zod';
import { sumOfAll } from '../../../base/numbers.ts';
import type { outlookSchema } from '../../../wire/api/tasks.ts';
import { countOf } from '../show/outlook.ts';
import { type ActPreview, guessNotes } from './runner.ts';

type AgentOutlook = z.output<typeof outlookSchema>;
type Pace = Pick<ActPreview, 'atOnce' | 'kw' | 'etaS'>;

const NOT_TOLD =
  'how many at a time, kW at full load and the time are not known: their agents are not connected, or did not answer';

/** Where an agent says nothing the whole is not known. One that is asked in parts does these one after the other. */
export function outlookOf(outlooks: readonly AgentOutlook[]): Pace & { readonly notes: readonly string[] } {
  const asked = outlooks.filter(({ task_count: count }) => count > 0);
  const silent = asked.filter(({ is_known: isKnown }) => !isKnown).reduce((sum, { task_count: n }) => sum + n, 0);
  if (silent > 0) return { atOnce: null, kw: null, etaS: null, notes: [`of ${countOf(silent)}: ${NOT_TOLD}`] };
  const agents = [...Map.groupBy(asked, ({ agent_id: id }) => id).values()];
  const etas = agents.map((parts) => sumOfAll(parts.map(({ eta_s }) => eta_s ?? undefined)));
  const known = etas.filter((seconds) => seconds !== undefined);
  // Agents work beside each other.
  const etaS = known.length === etas.length && known.length > 0 ? Math.max(...known) : null;
  const isGuess = asked.some(({ eta_is_guess }) => eta_is_guess === true);
  return {
    atOnce: sumOfAll(agents.map(([first]) => first?.at_once ?? undefined)) ?? null,
    kw: sumOfAll(asked.map(({ kw }) => kw ?? undefined)) ?? null,
    etaS,
    notes: guessNotes(etaS, isGuess),
  };
}

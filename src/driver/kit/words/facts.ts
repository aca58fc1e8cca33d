// Facts that firmwares of one family write under different names, or in different answers, read under one name.
import { toKnownText, toNumber } from '../../fields.ts';
import { Answer } from '../answer.ts';

/** A fact, and the names under which it is written, the best first. */
export type Names = Readonly<Record<string, readonly string[]>>;

/**
 * The facts of these answers, each under one name. Of several names and answers the first that says something counts:
 * no filler, and no negative figure, which devices write where they do not know.
 */
export function factsOf(names: Names, ...answers: readonly Answer[]): Answer {
  const facts: Record<string, unknown> = {};
  for (const [fact, written] of Object.entries(names)) facts[fact] = factOf(written, answers);
  return new Answer(facts);
}

function factOf(written: readonly string[], answers: readonly Answer[]): unknown {
  let unclear: unknown;
  for (const name of written) {
    for (const answer of answers) {
      const value = answer.value(name);
      if (toKnownText(value) !== undefined && (toNumber(value) ?? 0) >= 0) return value;
      unclear ??= value;
    }
  }
  return unclear;
}

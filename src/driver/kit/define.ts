// How a driver is written down: data, and two pure functions on answers that are read field by field. It checks what it
// is given and makes of it what the core sees.
import type { Ask, Driver, Evidence, Identity, Known } from '../contract.ts';
import { confidenceOf } from '../proof.ts';
import { withoutFillerNames, withoutFillers } from '../reported.ts';
import { Answer, NOTHING } from './answer.ts';
import { type Draft, toReading } from './draft.ts';

/** A question of a driver, and what an answer to it must hold to have been understood. */
export type Question = Ask & {
  /**
   * Keys of which one must hold a list of objects or an object, or what else must be true of the answer. Default: it is
   * an object, or for `as: 'text'` a text. What does not fit counts as unparsable, and `read` sees nothing of it.
   */
  readonly needs?: string | readonly string[] | ((answer: Answer) => boolean);
};

/** `needs` of an ask whose answer is of no use without the object under the key. */
export const hasPart =
  (key: string) =>
  (answer: Answer): boolean =>
    answer.at(key).isThere;

/** `needs` of an ask whose answer is of no use without a row under the key. */
export const hasRow =
  (key: string) =>
  (answer: Answer): boolean =>
    answer.row(key).isThere;

export type Answers<A> = { readonly [K in keyof A]: Answer };

/** A driver as its author writes it. */
export type DriverSpec<A extends Readonly<Record<string, Question>>, D extends Draft = Draft> = Omit<
  Driver,
  'asks' | 'read' | 'abilities' | 'identify'
> & {
  readonly asks: A;
  readonly abilities?: Driver['abilities'];
  /** `ours` = what the families say: undefined for another family. A driver may add to it, or deny it. */
  identify?(evidence: Evidence, ours: Identity | undefined): Identity | undefined;
  /**
   * Pure, and never throws. One `Answer` for each ask, empty where nothing came; `known` is what earlier visits
   * learned.
   */
  read(answers: Answers<A>, known: Known): D & NoOthers<D, Draft>;
};

/** The compiler lets a function return more fields than its type has: a misspelt one would be read by nothing. */
type NoOthers<D, T> = {
  readonly [K in keyof D]: K extends keyof T
    ? RowOf<T[K]> extends never
      ? unknown
      : readonly (NoOthers<RowOf<D[K]>, RowOf<T[K]>> | undefined)[] | undefined
    : NoSuchField;
};
type RowOf<L> = L extends readonly (infer R)[] ? Exclude<R, undefined> : never;
type NoSuchField = { readonly isNoFieldOfAReading: true };

/** Completes a driver: it identifies by its families, and has no abilities, login and quirks, unless it says so. */
export function defineDriver<const A extends Readonly<Record<string, Question>>, D extends Draft>(
  spec: Omit<DriverSpec<A, D>, 'login' | 'quirks'> & Partial<Pick<Driver, 'login' | 'quirks'>>,
): Driver {
  const { asks, read, identify = (_evidence, ours) => ours, ...rest } = spec;
  return {
    abilities: {},
    login: { kind: 'none' },
    quirks: {},
    ...rest,
    asks,
    identify(evidence) {
      const identity = identify(evidence, byFamily(spec, evidence));
      return identity && withoutFillerNames(identity);
    },
    read(raw, known) {
      const { answers, unparsable } = understood(asks, raw);
      const draft = read(answers, known);
      return { reading: withoutFillers(toReading({ make: spec.make, ...draft })), unparsable };
    },
  };
}

function byFamily(
  { make, families = [] }: Pick<Driver, 'make' | 'families'>,
  evidence: Evidence,
): Identity | undefined {
  const isOurs = families.some(({ id }) => id === evidence.family);
  return isOurs ? { confidence: confidenceOf(evidence), make } : undefined;
}

type Understood<A> = { readonly answers: Answers<A>; readonly unparsable: readonly string[] };
function understood<A extends Readonly<Record<string, Question>>>(
  asks: A,
  raw: Readonly<Record<string, unknown>>,
): Understood<A>;
function understood(asks: Readonly<Record<string, Question>>, raw: Readonly<Record<string, unknown>>) {
  const answers: Record<string, Answer> = {};
  const unparsable = Object.keys(raw).filter((name) => raw[name] !== undefined && !Object.hasOwn(asks, name));
  for (const [name, question] of Object.entries(asks)) {
    const value = raw[name];
    const answer = value === undefined ? NOTHING : new Answer(value);
    const isFit = value !== undefined && fits(answer, question);
    answers[name] = isFit ? answer : NOTHING;
    if (value !== undefined && !isFit) unparsable.push(name);
  }
  return { answers, unparsable };
}

function fits(answer: Answer, { needs, ...ask }: Question): boolean {
  if (typeof needs === 'function') return needs(answer);
  if (needs !== undefined)
    return [needs].flat().some((key) => answer.rows(key) !== undefined || answer.at(key).isThere);
  return ask.via === 'http' && ask.as === 'text' ? typeof answer.raw === 'string' : answer.isThere;
}

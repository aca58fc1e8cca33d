// What a capture asks a device beside the shared questions: each ask of its driver; of a stranger what reads it without
// a login, or behind one that a person gave; and what a person named. Pure.
import { drivers } from '../../../../drivers/index.ts';
import type { Ask, Driver, Evidence, Known, Rhythm } from '../../../driver/contract.ts';
import { basicLogin } from '../../../driver/kit/web/basic.ts';
import type { HttpRequest, ReadRequest } from '../../../transport/request.ts';
import { GENERIC_DRIVER } from '../look.ts';
import type { Also } from './also.ts';
import { describeRequest, requestKey } from './case.ts';

export type Question = { readonly name: string; readonly ask: ReadRequest; readonly every?: Rhythm };

type Device = {
  readonly driver: Driver | undefined;
  readonly known: Known;
  /** No driver may be trusted to know it. */
  readonly isStranger: boolean;
  readonly open: ReadonlySet<number>;
  readonly also: readonly Also[];
  readonly evidence: Evidence;
  /** A person gave a login for it. */
  readonly hasLogin: boolean;
};

export function questionsFor(device: Device): readonly Question[] {
  const { driver, known, isStranger, also, evidence, hasLogin } = device;
  const own = isStranger ? [] : askedOf(driver, known);
  const generic = drivers.find(({ id }) => id === GENERIC_DRIVER);
  const auth = isStranger ? challengeAuth(hasLogin ? evidence : {}) : authAmong(own);
  const others = isStranger
    ? [...(driver?.id === GENERIC_DRIVER ? askedOf(generic, {}) : []), ...genericQuestions(device, auth)]
    : own;
  const seen = new Set(others.map(({ ask }) => requestKey(ask)));
  const named = also
    .map(({ name, ask }): Question => ({ name, ask: ask.via === 'http' ? { ...ask, auth } : ask }))
    .filter(({ ask }) => !seen.has(requestKey(ask)));
  return [...named, ...others];
}

/** Every ask of the driver for this generation, substitutes included: an author wants to see them all. */
const askedOf = (driver: Driver | undefined, { generation }: Known): Question[] =>
  Object.entries(driver?.asks ?? {})
    .filter(([, ask]) => ask.generations === undefined || !generation || ask.generations.includes(generation))
    .map(([name, ask]) => ({ name, ask, every: ask.every }));

/** What the drivers ask at these ports: commands that read, pages that are fetched. Each once. */
function genericQuestions({ open }: Device, auth: HttpRequest['auth']): Question[] {
  const generic = drivers.find(({ id }) => id === GENERIC_DRIVER);
  const seen = new Set(askedOf(generic, {}).map(({ ask }) => requestKey(ask)));
  return drivers.flatMap((driver) =>
    Object.entries(driver.asks).flatMap(([name, ask]): Question[] => {
      const free = asStranger(ask, auth);
      if (free === undefined || !open.has(describeRequest(free).port) || seen.has(requestKey(free))) return [];
      seen.add(requestKey(free));
      return [{ name: `${driver.id}.${name}`, ask: free, every: ask.every }];
    }),
  );
}

/** The request as any device may get it; undefined = only those of the family may. */
function asStranger(ask: Ask, auth: HttpRequest['auth']): ReadRequest | undefined {
  if (ask.via !== 'http') return 'carry' in ask ? undefined : ask;
  const isUsual = ask.auth === 'none' || ask.auth === auth;
  return isUsual && ask.method === 'GET' ? { ...ask, auth } : undefined;
}

/** How the web of a stranger wants its login, by its challenge. */
function challengeAuth({ web }: Pick<Evidence, 'web'>): HttpRequest['auth'] {
  if (/^digest/i.test(web?.authenticate ?? '')) return 'digest';
  return /^basic/i.test(web?.authenticate ?? '') ? basicLogin : 'none';
}

/** As the driver logs in to the web. */
const authAmong = (questions: readonly Question[]): HttpRequest['auth'] =>
  questions.map(({ ask }) => (ask.via === 'http' ? ask.auth : 'none')).find((auth) => auth !== 'none') ?? 'none';

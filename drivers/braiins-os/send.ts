// How something is changed on Braiins OS: a REST write, a GraphQL mutation, a word on TCP, and the order in which a
// device of unknown generation is told. A version that does not know an API has not acted on it, so the next one may be
// tried.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED, SO_ALREADY } from '../../src/driver/kit/act/outcomes.ts';
import { graphqlErrors, graphqlSession, isLoginWanted, rest } from './requests.ts';

export const DEADLINE_MS = 15_000;

/** The first that the device knows. Each must end as `peer.unsupported` only when nothing was done. */
export async function firstKnown<T>(way: () => Promise<T>, ...others: readonly (() => Promise<T>)[]): Promise<T> {
  const [next, ...rest] = others;
  try {
    return await way();
  } catch (error) {
    if (next === undefined || !(error instanceof PeerError) || error.code !== 'peer.unsupported') throw error;
    return firstKnown(next, ...rest);
  }
}

/** A refusal is thrown by the link, with the device's words. */
export function put(link: MinerLink, what: string, path: string, json?: unknown): Promise<ActResult> {
  return orLostReply(async () => {
    const request = { ...rest(path), method: 'PUT', as: 'text', ...(json !== undefined && { json }) } as const;
    expectNoPage(link, what, await link.send(request, { deadlineMs: DEADLINE_MS }));
    return ACCEPTED;
  });
}

/** Versions without this API may show their start page for every path. */
export function expectNoPage(link: MinerLink, what: string, answer: unknown): void {
  if (typeof answer === 'string' && /^\s*</.test(answer)) {
    throw new PeerError('peer.unsupported', `${what} ${link.ip}`, 'never');
  }
}

const outcome = z.looseObject({ __typename: z.string().optional(), message: z.string().optional() });

/**
 * HTTP says 200 whatever happens: what counts is the type of the object at `at` (`bos.reboot`). `already` = words
 * that say that it was so before: no refusal.
 */
export function mutate(
  link: MinerLink,
  what: string,
  mutation: { readonly at: string; readonly query: string; readonly variables?: object; readonly already?: RegExp },
): Promise<ActResult> {
  return orLostReply(async () => {
    const { at, query, variables, already } = mutation;
    const json = { query, ...(variables && { variables }) };
    const answer = await link.send(
      { via: 'http', method: 'POST', path: '/graphql', auth: graphqlSession, json, as: 'json' },
      { deadlineMs: DEADLINE_MS },
    );
    const words = graphqlErrors(answer);
    const refused = (code: 'peer.auth' | 'peer.permission' | 'peer.rejected', why: string) =>
      new PeerError(code, `${what} ${link.ip}`, 'never', new Error(`the device says: ${why}`));
    if (words !== undefined) {
      const isForbidden = /permission|denied|forbidden|not allowed/i.test(words);
      throw refused(isLoginWanted(words) ? 'peer.auth' : isForbidden ? 'peer.permission' : 'peer.rejected', words);
    }
    const found = outcome.safeParse(valueAt(answer, ['data', ...at.split('.')])).data;
    if (found === undefined) {
      throw new PeerError('peer.unparsable', `${what} ${link.ip}`, 'later', undefined, { wasSent: true });
    }
    const { __typename: type, message } = found;
    if (message === undefined && !/Error$/.test(type ?? '')) return ACCEPTED;
    const why = (message ?? type ?? '').slice(0, 256);
    if (already?.test(why)) return SO_ALREADY;
    throw refused('peer.rejected', why);
  });
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** Old versions take these words without login while their API is writable. */
export function tell(link: MinerLink, command: 'pause' | 'resume'): Promise<ActResult> {
  return orLostReply(async () => {
    await link.send({ via: 'cgminer', command }, { deadlineMs: DEADLINE_MS });
    return ACCEPTED;
  });
}

// Which recorded answer belongs to a request. Pure: it has no socket.
import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../format.ts';

type Command = { readonly sent: Readonly<Record<string, unknown>>; readonly isBare: boolean };

/** A request of CGMiner's API: JSON, or a bare word with `|` before its parameter. Undefined = not whole yet. */
export function parseCommand(text: string): Command | undefined {
  const line = text.replace(/[\0\r\n]+$/, '');
  if (!line.trimStart().startsWith('{')) {
    if (line === text && !/^\w+(\|.*)?$/.test(line)) return undefined;
    const [command = '', ...rest] = line.split('|');
    return { sent: { command, ...(rest.length > 0 && { parameter: rest.join('|') }) }, isBare: true };
  }
  try {
    const sent: unknown = JSON.parse(line);
    return { sent: Object(sent), isBare: false };
  } catch {
    return undefined;
  }
}

/** The answer to a command; undefined = the device was not asked this. */
export function answerToCommand(responses: readonly Exchange[], { sent, isBare }: Command): Exchange | undefined {
  return responses.find(({ transport, send: { bare = false, ...recorded } = {} }) => {
    if (transport !== 'cgminer-tcp' || bare !== isBare) return false;
    return isBare || isDeepStrictEqual(plain(recorded), plain(sent));
  });
}

/** Devices take `cmd` for `command` as well, and an empty parameter for none. */
function plain({ cmd, command = cmd, parameter, ...rest }: Readonly<Record<string, unknown>>) {
  const { id: _, ...others } = rest;
  return { ...others, command, ...(parameter !== undefined && parameter !== '' && { parameter }) };
}

export function answerToFrame(responses: readonly Exchange[], sent: unknown): Exchange | undefined {
  return responses.find(({ transport, send }) => transport === 'whatsminer-v3' && isDeepStrictEqual(send, sent));
}

export type WebQuestion = {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body: string;
};

/** All recorded answers to a request: one and the same page may have been asked with a login and without. */
export function answersToPage(responses: readonly Exchange[], question: WebQuestion): readonly Exchange[] {
  const { method, url, body } = question;
  return responses.filter(
    (recorded) =>
      recorded.transport === 'http' &&
      (recorded.method ?? 'GET') === method &&
      recorded.path === url &&
      (recorded.auth === 'login' || recorded.body === undefined || isSameBody(recorded.body, body)),
  );
}

function isSameBody(recorded: unknown, sent: string): boolean {
  const form = Object.fromEntries(new URLSearchParams(sent));
  if (isDeepStrictEqual(recorded, form)) return true;
  try {
    return isDeepStrictEqual(recorded, JSON.parse(sent));
  } catch {
    return false;
  }
}

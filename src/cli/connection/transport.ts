// One request to the service's API and its answer, over HTTP or through the control socket of a running agent. It knows
// no route; it bounds time and size.
import { Agent, request } from 'undici';
import type { RunningAgent, ServiceAnswer, ServiceAsked } from '../../agent/control/control-client.ts';
import { ConfigError, PeerError } from '../../base/errors.ts';
import { isExposed } from '../../base/net/ipv4.ts';
import { readOptionFile } from '../options.ts';

/** `name` = where the service is, for messages. Throws PeerError when nothing answers in time. */
export type Transport = {
  readonly name: string;
  send(request: ServiceAsked, signal: AbortSignal): Promise<ServiceAnswer>;
  close(): Promise<void>;
};

/** For a list of 100,000 miners to be made and sent. */
const ANSWER_MS = 60_000;
const CONNECT_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

export type Server = {
  readonly url: string;
  readonly key: string;
  /** PEM of the authority that signed its certificate; absent = those that this host trusts. */
  readonly caFile?: string | undefined;
  /** Send the key over an unencrypted line to another host. */
  readonly allowPlain?: boolean | undefined;
};

/** Throws ConfigError for an address that may not be used. */
export function overHttp({ url: text, key, caFile, allowPlain = false }: Server): Transport {
  const url = addressOf(text, allowPlain);
  const dispatcher = new Agent({
    connect: {
      timeout: CONNECT_MS,
      minVersion: 'TLSv1.2',
      ...(caFile !== undefined && { ca: readOptionFile('--ca-file', caFile) }),
    },
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
  return {
    name: url.origin,
    async send({ method, path, body, idempotencyKey }, signal) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(2 * ANSWER_MS)]);
      try {
        const answer = await request(`${url.origin}${path}`, {
          ...{ method, dispatcher, signal: deadline },
          headers: {
            'x-api-key': key,
            accept: 'application/json, text/csv',
            ...(body !== undefined && { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json' }),
            ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          },
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        });
        const isJson = String(answer.headers['content-type']).startsWith('application/json');
        return { status: answer.statusCode, body: isJson ? await answer.body.json() : await answer.body.text() };
      } catch (error) {
        signal.throwIfAborted();
        const code = deadline.aborted ? 'peer.timeout' : 'peer.unreachable';
        throw new PeerError(code, `ask the service at ${url.origin}`, 'soon', error);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

function addressOf(text: string, allowPlain: boolean): URL {
  const wrong = (message: string) => new ConfigError('read the command line', [{ path: '--server', message }]);
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw wrong(`'${text}' is not an address such as https://farm.example`);
  if (isExposed(url) && !allowPlain)
    throw wrong(`${url.origin} is not encrypted and would show the key to others: use https://, or add --allow-plain`);
  return url;
}

/** By way of an agent that runs in one process with the service: it gives the service the name of the system user. */
export const throughAgent = (agent: Pick<RunningAgent, 'service' | 'stateDir'>): Transport => ({
  name: `the service of ${agent.stateDir}`,
  send: (asked, signal) => agent.service(asked, signal),
  // The agent is closed by its owner.
  close: async () => {},
});

// A MinerLink whose answers a test writes down: by request name, with the time that each takes on a virtual clock.
import { CancelledError, PeerError } from '../../../src/base/errors.ts';
import type { ExchangeLimits, MinerRequest, ProbeLink, WebEvidence } from '../../../src/transport/request.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';

/** A value, an error to throw, or `{ afterMs, answer }`; `afterMs` beyond the deadline is a timeout. */
export type Scripted = unknown;
export const takes = (afterMs: number, answer: unknown) => ({ afterMs, answer });

export type FakeLink = ProbeLink & {
  /** What was asked, in order; pages over TLS as `https:/`. */
  readonly asked: string[];
  maxAtOnce: number;
  script: Record<string, Scripted>;
};

export function nameOf(request: MinerRequest): string {
  switch (request.via) {
    case 'cgminer':
      return request.isBare ? `bare ${request.command}` : request.command;
    case 'http':
      return request.path;
    default:
      return request.cmd;
  }
}

export function fakeLink(clock: VirtualClock, script: Record<string, Scripted>): FakeLink {
  let atOnce = 0;
  const run = async (name: string, limits: ExchangeLimits = {}): Promise<unknown> => {
    link.asked.push(name);
    link.maxAtOnce = Math.max(link.maxAtOnce, ++atOnce);
    try {
      const scripted = link.script[name];
      const isTimed =
        typeof scripted === 'object' && scripted !== null && 'afterMs' in scripted && 'answer' in scripted;
      const delayMs = isTimed ? Number(scripted.afterMs) : 1;
      const answer = isTimed ? scripted.answer : scripted;
      await clock.sleep(Math.min(delayMs, limits.deadlineMs ?? 5_000), limits.signal);
      if (limits.signal?.aborted) throw new CancelledError(`ask ${name}`);
      if (delayMs > (limits.deadlineMs ?? 5_000)) throw new PeerError('peer.timeout', `ask ${name}`, 'soon');
      if (answer instanceof Error) throw answer;
      if (answer === undefined) throw new PeerError('peer.refused', `ask ${name}`, 'later');
      return structuredClone(answer);
    } finally {
      atOnce--;
    }
  };
  const link: FakeLink = {
    ip: '10.9.8.7',
    asked: [],
    maxAtOnce: 0,
    script,
    send: (request, limits) => run(nameOf(request), limits),
    sendRaw: async (request, limits) => String(await run(nameOf(request), limits)),
    look: async (path, limits): Promise<WebEvidence> => {
      const page = await run(limits?.port === 443 ? `https:${path}` : path, limits);
      return typeof page === 'object' && page !== null && 'status' in page && 'body' in page
        ? { ...page, status: Number(page.status), body: String(page.body) }
        : { status: 200, body: String(page) };
    },
  };
  return link;
}

export const peerError = (code: PeerError['code'], retry: PeerError['retry'] = 'later') =>
  new PeerError(code, `ask as the test says`, retry);

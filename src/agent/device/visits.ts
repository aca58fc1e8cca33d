// Visits with a login: asks the device who it is where that is not certain, sends the login along, and notes what came
// of it. The caller holds the device mutex and decides when to visit.
import type { Clock } from '../../base/clock.ts';
import { type PeerCode, PeerError } from '../../base/errors.ts';
import { type VisitOutcome, visit } from '../../driver/visit/visit.ts';
import type { ExchangeLimits, MinerLink, MinerRequest } from '../../transport/request.ts';
import type { Identification } from './identification.ts';
import type { Logins, MinerTarget } from './logins.ts';
import type { Questions } from './questions.ts';
import type { DeviceTrust } from './trust/device-trust.ts';

/** Times in ms. */
export type PollSettings = {
  readonly interval: number;
  readonly slowEvery: number;
  readonly staticEvery: number;
  readonly deadline: number;
};

type VisitParts = {
  readonly clock: Clock;
  readonly settings: { readonly poll: PollSettings };
  readonly trust: DeviceTrust;
  readonly questions: Questions;
  readonly logins: Logins;
  readonly identification: Identification;
};

/** After these errors another device may answer at the address. */
const GONE: ReadonlySet<PeerCode> = new Set(['peer.timeout', 'peer.refused', 'peer.unreachable', 'peer.reset']);

/** Throws PeerError when nothing at all was answered. `identifying` = the identification that this visit follows. */
export async function visitWithLogin(
  parts: VisitParts,
  target: MinerTarget,
  signal: AbortSignal,
  {
    memory = target.memory,
    deadlineMs = parts.settings.poll.deadline,
    identifying = parts.questions.identifying(target.ip),
  } = {},
): Promise<VisitOutcome> {
  const { clock, trust, questions, logins, settings } = parts;
  const { driver, known, ip } = target;
  const { interval, slowEvery, staticEvery } = settings.poll;
  const rhythms = { slowMs: interval * slowEvery, staticMs: staticEvery };
  const startMs = clock.monotonicMs();
  let heard: NotingLink | undefined;
  try {
    // A device that is known by a TLS key: another key is asked again who it is.
    if (driver.login.kind !== 'none' || trust.tlsKeyOf(ip) !== undefined)
      await parts.identification.askAgain(target, { signal, identifying });
    const leftMs = deadlineMs - (clock.monotonicMs() - startMs);
    heard = new NotingLink(logins.linkFor(target), trust);
    const link = identifying.completed(heard);
    const outcome = await visit({ driver, link, known, memory, rhythms, clock, signal, deadlineMs: leftMs });
    questions.visited(ip, driver.id, outcome.isLoginRefused ? 'login_refused' : 'identified');
    return logins.usesFactoryLogin(target) ? { ...outcome, isFactoryLogin: true } : outcome;
  } catch (error) {
    const isRefused = error instanceof PeerError && error.code === 'peer.auth';
    questions.visited(ip, driver.id, isRefused ? 'login_refused' : 'failed');
    if (heard?.isGone === true && !heard.hasAnswered) trust.lost(ip);
    throw error;
  }
}

/** Notes whether the device answered: the error of a visit may be an older one, of an ask that is not due. */
class NotingLink implements MinerLink {
  readonly ip: string;
  hasAnswered = false;
  isGone = false;
  readonly #link: MinerLink;
  readonly #trust: Pick<DeviceTrust, 'lost'>;

  constructor(link: MinerLink, trust: Pick<DeviceTrust, 'lost'>) {
    this.ip = link.ip;
    this.#link = link;
    this.#trust = trust;
  }

  async send(request: MinerRequest, limits?: ExchangeLimits): Promise<unknown> {
    try {
      const answer = await this.#link.send(request, limits);
      this.hasAnswered = true;
      return answer;
    } catch (error) {
      if (error instanceof PeerError && error.code === 'peer.tls-key') this.#trust.lost(this.ip);
      if (error instanceof PeerError && GONE.has(error.code)) this.isGone = true;
      else this.hasAnswered ||= error instanceof PeerError && error.wasSent !== false;
      throw error;
    }
  }
}

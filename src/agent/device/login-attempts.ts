// A login is tried once, not once per question: until the device has accepted it one request at a time carries it, and
// after a refusal none does. Control boards lock out after a few wrong passwords.
import { type PeerCode, PeerError } from '../../base/errors.ts';
import type { MinerLink, MinerRequest } from '../../transport/request.ts';

/** What is known of one login at one device. The owner decides how long a refusal counts. */
export type LoginTrial = {
  verdict: 'unproven' | 'accepted' | 'refused';
  trying: Promise<void> | undefined;
  /** The device asked for the login and accepted it. */
  isTaken: boolean;
  /** It went out a moment ago, and the device neither accepted nor refused it: not again for now. */
  readonly isUnanswered?: () => boolean;
  /** Asked before the login goes out for the first time; false: it may not, which counts as a refusal. */
  readonly begin?: () => boolean;
  /** What came of an attempt, where that is news; undefined = neither yes nor no. */
  readonly onVerdict?: (verdict: 'accepted' | 'refused' | undefined) => void;
};

export const newTrial = (): LoginTrial => ({ verdict: 'unproven', trying: undefined, isTaken: false });

/** Answers that a device gives only to those whom it let in. */
const LET_IN: ReadonlySet<PeerCode> = new Set([
  'peer.permission',
  'peer.unsupported',
  'peer.rejected',
  'peer.unparsable',
]);

function carriesLogin(request: MinerRequest): boolean {
  switch (request.via) {
    case 'cgminer':
      return request.carry !== undefined;
    case 'whatsminer3':
      return false;
    case 'http':
      return request.auth !== 'none';
    case 'whatsminer2-write':
    case 'whatsminer3-write':
      return true;
  }
}

/**
 * The link, with requests that carry the login held to its trial. Refused ones fail as `peer.auth` without being sent.
 */
export function withTrial(link: MinerLink, trial: LoginTrial): MinerLink {
  const attempt = async (...[request, limits]: Parameters<MinerLink['send']>): Promise<unknown> => {
    const before = trial.verdict;
    try {
      const answer = await link.send(request, limits);
      trial.verdict = 'accepted';
      return answer;
    } catch (error) {
      if (error instanceof PeerError && error.code === 'peer.auth') trial.verdict = 'refused';
      // What went wrong in the login itself, short of a refusal, says nothing of the password.
      else if (error instanceof PeerError && error.wasSent !== false && LET_IN.has(error.code))
        trial.verdict = 'accepted';
      throw error;
    } finally {
      if (trial.verdict === 'unproven') trial.onVerdict?.(undefined);
      else if (trial.verdict !== before) trial.onVerdict?.(trial.verdict);
    }
  };
  return {
    ip: link.ip,
    async send(request, limits) {
      if (!carriesLogin(request)) return link.send(request, limits);
      while (trial.verdict === 'unproven' && trial.trying !== undefined) await trial.trying;
      if (trial.verdict === 'unproven' && trial.isUnanswered?.() === true) {
        const message = `ask ${link.ip} with a login that it has just left without an answer`;
        throw new PeerError('peer.busy', message, 'later', undefined, { wasSent: false });
      }
      if (trial.verdict === 'unproven' && trial.begin?.() === false) trial.verdict = 'refused';
      if (trial.verdict === 'refused') {
        throw new PeerError('peer.auth', `ask ${link.ip} with a login that it has refused`, 'never', undefined, {
          wasSent: false,
        });
      }
      if (trial.verdict === 'accepted') return attempt(request, limits);
      const trying = attempt(request, limits);
      trial.trying = trying.then(
        () => undefined,
        () => undefined,
      );
      try {
        return await trying;
      } finally {
        trial.trying = undefined;
      }
    },
  };
}

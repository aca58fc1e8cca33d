// What an ability is made of: a look before anything is changed, and commands with the device's verdict. After a
// command whose answer was lost the device may have acted; after anything else that fails it has not.
import { PeerError, type Retry } from '../../../base/errors.ts';
import type { ExchangeLimits, MinerRequest } from '../../../transport/request.ts';
import type { ActResult, MinerLink } from '../../contract.ts';
import { Answer } from '../answer.ts';
import { beforeAct, orLostReply } from './lost-reply.ts';
import { ACCEPTED, SO_ALREADY } from './outcomes.ts';

/** Most devices answer at once; those that restart something first get their own limit. */
const LIMITS: ExchangeLimits = { deadlineMs: 15_000 };
/** Of a command that brings a file. */
export const UPLOAD: ExchangeLimits = { deadlineMs: 30 * 60_000 };

/**
 * What the answer to a command means. A result = done, with a note. A text = refused, in the device's words; undefined
 * = neither yes nor no, so that the device may have acted.
 */
export type Verdict =
  | true
  | ActResult
  | string
  | undefined
  | {
      /** Default `peer.rejected`. */
      readonly code?: PeerError['code'];
      readonly why?: string;
      readonly retry?: Retry;
    };

/** A no in the device's own words, which may be about permission. */
export const refused = (words = 'no'): Verdict => {
  const isForbidden = /permission|denied|forbidden|not allowed/i.test(words);
  return { code: isForbidden ? 'peer.permission' : 'peer.rejected', why: words };
};

/** One command. `what` as in "restart"; without `judge` any answer below status 400 is a yes. */
export const command = (
  link: MinerLink,
  what: string,
  request: MinerRequest,
  judge: (answer: Answer) => Verdict = () => true,
  limits: ExchangeLimits = LIMITS,
): Promise<ActResult> =>
  orLostReply(async () => resultOf(`${what} ${link.ip}`, judge(new Answer(await link.send(request, limits)))));

/** A command that brings a file. */
export const upload = (link: MinerLink, what: string, request: MinerRequest, judge?: (answer: Answer) => Verdict) =>
  command(link, what, request, judge, UPLOAD);

/** Of an attempt such as "restart 10.0.0.1". Throws what is no yes. */
export function resultOf(attempt: string, verdict: Verdict): ActResult {
  if (verdict === true) return ACCEPTED;
  if (typeof verdict === 'object' && 'kind' in verdict) return verdict;
  throw refusal(attempt, verdict);
}

function refusal(attempt: string, verdict: Exclude<Verdict, true | ActResult>): PeerError {
  if (verdict === undefined) return new PeerError('peer.unparsable', attempt, 'later', undefined, { wasSent: true });
  const { code = 'peer.rejected', why, retry = 'never' } = typeof verdict === 'string' ? { why: verdict } : verdict;
  return new PeerError(code, attempt, retry, why === undefined ? undefined : new Error(`the device says ${why}`));
}

/**
 * One after another, until the answer to one is lost; the result of the last that was sent. Steps that are false are
 * not needed; where none is, it was so already.
 */
export async function inTurn(...steps: readonly (false | (() => Promise<ActResult>))[]): Promise<ActResult> {
  let result: ActResult = SO_ALREADY;
  for (const step of steps) {
    if (step !== false) result = await step();
    if (result.kind === 'lost-reply') break;
  }
  return result;
}

/**
 * Asks before anything is changed. `what` as in "change the pools of". An answer without what is needed is
 * `peer.rejected`: nothing has been sent that could change anything.
 */
export const askFirst = (
  link: MinerLink,
  what: string,
  request: MinerRequest,
  isEnough: (answer: Answer) => boolean = (answer) => answer.isThere,
  limits: ExchangeLimits = LIMITS,
): Promise<Answer> =>
  beforeAct(link, what, async () => {
    const answer = new Answer(await link.send(request, limits));
    if (!isEnough(answer)) throw new PeerError('peer.unparsable', `read the settings of ${link.ip}`, 'later');
    return answer;
  });

// Commands to a Whatsminer in either dialect (atlas 4.2, 4.3): which one the firmware takes, one command after another,
// and what its answers are taken for. What is to be done is in abilities.ts.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, Known, MinerLink, MinerRequest } from '../../src/driver/contract.ts';
import { int, text } from '../../src/driver/fields.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { generationOf } from './identify.ts';

/** A device that restarts often leaves without a word: waiting longer tells nothing. */
export const DEADLINE_MS = 8_000;

type Write2 = { readonly cmd: string; readonly params?: Readonly<Record<string, string | number>> };
/** `older`: what firmware that does not know `cmd` calls it. */
type Write3 = {
  readonly cmd: string;
  readonly param?: unknown;
  readonly isEncrypted?: boolean;
  readonly older?: string;
};
/** The commands of one action, in order; empty = this API has none. */
export type Plan = { readonly api2: readonly Write2[]; readonly api3: readonly Write3[] };
export type Api = 'api2' | 'api3';

/** Throws `peer.unsupported` before anything is changed when the firmware takes no writes. */
export async function dialect(link: MinerLink, known: Known, what: string): Promise<Api> {
  const isKnown = known.generation === 'api3' || known.generation === 'api1';
  const generation = isKnown ? known.generation : await ask(link, known.generation === undefined);
  if (generation !== 'api1') return generation;
  throw unsupported(link, what, 'firmware before 2022-07-29 takes no commands over its API');
}

/** API 1 and 2 look alike until the firmware is asked, and a firmware may have been changed since the last scan. */
async function ask(link: MinerLink, isSeenByWebAlone: boolean): Promise<'api1' | Api> {
  try {
    const request = { via: 'cgminer', command: 'get_version' } as const;
    const answer = await beforeAct(link, 'change', () => link.send(request, { deadlineMs: DEADLINE_MS }));
    return generationOf(JSON.stringify(answer) ?? '') ?? 'api2';
  } catch (error) {
    // Firmware of API 3 may have no other port.
    if (isSeenByWebAlone && error instanceof PeerError && error.code === 'peer.refused') return 'api3';
    throw error;
  }
}

/** Sends the commands one after another and stops at the first that is refused (thrown) or whose answer is lost. */
export async function carryOut(link: MinerLink, api: Api, plans: readonly Plan[], what: string): Promise<ActResult> {
  const send = (request: MinerRequest) =>
    orLostReply(async () => judge(await link.send(request, { deadlineMs: DEADLINE_MS }), what, link.ip));
  let result: ActResult = { kind: 'accepted' };
  for (const write of plans.flatMap((plan): readonly (Write2 | Write3)[] => plan[api])) {
    result =
      api === 'api2'
        ? await send({
            via: 'whatsminer2-write',
            cmd: write.cmd,
            params: 'params' in write ? (write.params ?? {}) : {},
          })
        : await sendByEitherName(send, write);
    if (result.kind === 'lost-reply') return result;
  }
  return result;
}

async function sendByEitherName(
  send: (request: MinerRequest) => Promise<ActResult>,
  write: Write3,
): Promise<ActResult> {
  const { cmd, older, isEncrypted, ...rest } = write;
  const request = { via: 'whatsminer3-write', cmd, ...rest, ...(isEncrypted && { isEncrypted }) } as const;
  try {
    return await send(request);
  } catch (error) {
    if (older === undefined || !(error instanceof PeerError) || error.code !== 'peer.unsupported') throw error;
    return send({ ...request, cmd: older });
  }
}

const REFUSALS: Readonly<Record<number, PeerError['code']>> = {
  14: 'peer.unsupported',
  23: 'peer.auth',
  45: 'peer.permission',
  135: 'peer.auth',
  136: 'peer.busy',
  [-1]: 'peer.unsupported',
  [-4]: 'peer.permission',
};

const envelope = z.looseObject({ Code: int(), code: int(), Msg: text(), msg: text() }).catch({});

/** Envelopes of both APIs: `Code` 131 and `code` 0 are yes, all else is the device's no. */
export function judge(answer: unknown, what: string, ip: string): ActResult {
  const { Code, code, Msg, msg } = envelope.parse(answer);
  const number = Code ?? code;
  const words = Msg ?? msg;
  // It went out and something came back, but nothing that says yes or no.
  if (number === undefined) {
    throw new PeerError('peer.unparsable', `${what} ${ip}`, 'later', undefined, { wasSent: true });
  }
  if (number === 131 || number === 0) return { kind: 'accepted', ...(words !== undefined && { note: words }) };
  const refusal = REFUSALS[number] ?? 'peer.rejected';
  const cause = new Error(`the device says "${words ?? ''}" (code ${number})`);
  throw new PeerError(refusal, `${what} ${ip}`, refusal === 'peer.busy' ? 'later' : 'never', cause);
}

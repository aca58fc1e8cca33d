// The one session that a LuxOS miner has: opened for an action, closed after it, whatever happened. A session of
// another client is left alone.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { MinerLink } from '../../src/driver/contract.ts';
import { list, text } from '../../src/driver/fields.ts';
import { beforeAct } from '../../src/driver/kit/act/lost-reply.ts';

/** A device that restarts often leaves without a word: waiting longer tells nothing. */
export const DEADLINE_MS = 8_000;
const LOGOFF_DEADLINE_MS = 3_000;

const sessionReply = z.looseObject({ SESSION: list(z.looseObject({ SessionID: text(64) }), 1) });

/** Sends a command that needs a session; the parameter after the session id, if any. */
export type Privileged = (command: string, parameter?: string) => Promise<unknown>;

/** Runs `work` within a session of our own. Throws `peer.busy` when another one is open; nothing was sent then. */
export async function inSession<T>(link: MinerLink, what: string, work: (send: Privileged) => Promise<T>): Promise<T> {
  const id = await beforeAct(link, what, () => logOn(link, what));
  try {
    return await work((command, parameter) =>
      link.send(
        { via: 'cgminer', command, parameter: parameter === undefined ? id : `${id},${parameter}` },
        { deadlineMs: DEADLINE_MS },
      ),
    );
  } finally {
    await logOff(link, id);
  }
}

async function logOn(link: MinerLink, what: string): Promise<string> {
  try {
    const id = idOf(await link.send({ via: 'cgminer', command: 'logon' }, { deadlineMs: DEADLINE_MS }));
    if (id === undefined)
      throw new PeerError('peer.rejected', `log on to ${link.ip}: no session in the answer`, 'later');
    return id;
  } catch (error) {
    if (error instanceof PeerError && error.code === 'peer.rejected' && (await isHeld(link))) {
      throw new PeerError('peer.busy', `${what} ${link.ip}: another session is open`, 'later', error);
    }
    throw error;
  }
}

async function isHeld(link: MinerLink): Promise<boolean> {
  return idOf(await link.send({ via: 'cgminer', command: 'session' }, { deadlineMs: DEADLINE_MS })) !== undefined;
}

const idOf = (answer: unknown) => sessionReply.safeParse(answer).data?.SESSION?.[0]?.SessionID;

/** A session that cannot be closed (the device went down with it) ends by itself after about a minute. */
async function logOff(link: MinerLink, id: string): Promise<void> {
  try {
    await link.send({ via: 'cgminer', command: 'logoff', parameter: id }, { deadlineMs: LOGOFF_DEADLINE_MS });
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
  }
}

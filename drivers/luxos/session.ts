// The one session that a LuxOS miner has: opened for an action, closed after it, whatever happened. A session of
// another client is left alone.
import * as kit from '../../src/driver/kit/index.ts';

/** A device that restarts often leaves without a word: waiting longer tells nothing. */
export const LIMITS = { deadlineMs: 8_000 };
const LOGOFF_LIMITS = { deadlineMs: 3_000 };

/** A command that needs a session, and its parameter after the session id. */
type Privileged = readonly [command: string, parameter?: string];

/**
 * Runs commands one after another within a session of our own; those that are false are not needed. Throws `peer.busy`
 * when another session is open; nothing was sent then. A refusal is thrown by the link.
 */
export async function inSession(
  link: kit.MinerLink,
  what: string,
  ...commands: readonly (false | Privileged)[]
): Promise<kit.ActResult> {
  const id = await kit.beforeAct(link, what, () => logOn(link, what));
  const run = ([command, ...parameter]: Privileged) =>
    kit.command(link, what, kit.tcp(command, [id, ...parameter].join(',')), verdict, LIMITS);
  try {
    return await kit.inTurn(...commands.map((each) => each && (() => run(each))));
  } finally {
    await logOff(link, id);
  }
}

function verdict(answer: kit.Answer): kit.Verdict {
  const status = answer.row('STATUS');
  if (!status.has('STATUS')) return undefined;
  const note = status.text('Msg');
  return note === undefined ? true : { ...kit.ACCEPTED, note };
}

async function logOn(link: kit.MinerLink, what: string): Promise<string> {
  try {
    const id = await sessionId(link, 'logon');
    if (id !== undefined) return id;
    throw new kit.PeerError('peer.rejected', `log on to ${link.ip}: no session in the answer`, 'later');
  } catch (error) {
    const isRefused = error instanceof kit.PeerError && error.code === 'peer.rejected';
    if (!isRefused || (await sessionId(link, 'session')) === undefined) throw error;
    throw new kit.PeerError('peer.busy', `${what} ${link.ip}: another session is open`, 'later', error);
  }
}

async function sessionId(link: kit.MinerLink, command: string): Promise<string | undefined> {
  return new kit.Answer(await link.send(kit.tcp(command), LIMITS)).row('SESSION').text('SessionID', 64);
}

/** A session that cannot be closed (the device went down with it) ends by itself after about a minute. */
async function logOff(link: kit.MinerLink, id: string): Promise<void> {
  try {
    await link.send(kit.tcp('logoff', id), LOGOFF_LIMITS);
  } catch (error) {
    if (!(error instanceof kit.PeerError)) throw error;
  }
}

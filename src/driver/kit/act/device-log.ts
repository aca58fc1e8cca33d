// The log of a device as text: whole or not at all. Its end matters most, and no device gives only that.
import { PeerError } from '../../../base/errors.ts';
import type { MinerLink, MinerRequest } from '../../contract.ts';
import { Answer } from '../answer.ts';
import { resultOf, type Verdict } from './command.ts';

const LIMITS = { deadlineMs: 60_000, maxBytes: 1024 * 1024 } as const;

/**
 * A log of more than 1 MiB is `peer.rejected`: to ask for it again would be no use. `textOf` finds the log in an answer
 * that holds more, or undefined; `judge` says whether the device gives one, where it answers a refusal with words.
 */
export async function fetchLog(
  link: MinerLink,
  request: MinerRequest,
  textOf: (answer: Answer) => string | undefined = ({ raw }) => String(raw),
  judge: (answer: Answer) => Verdict = () => true,
): Promise<string> {
  const answer = new Answer(await askForLog(link, request));
  resultOf(`read the log of ${link.ip}`, judge(answer));
  const text = textOf(answer);
  if (text === undefined) throw new PeerError('peer.unparsable', `read the log of ${link.ip}`, 'later');
  return text;
}

async function askForLog(link: MinerLink, request: MinerRequest): Promise<unknown> {
  try {
    return await link.send(request, LIMITS);
  } catch (error) {
    if (!(error instanceof PeerError) || error.code !== 'peer.too-large') throw error;
    const cause = new Error('it is longer than 1 MiB');
    throw new PeerError('peer.rejected', `fetch the log of ${link.ip}`, 'never', cause, { wasSent: false });
  }
}

/** The text of a log that the device writes as a piece of a page. */
export const textOfPage = (html: string): string =>
  html
    .replaceAll(/<br ?\/?>/g, '\n')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll('%%', '%');

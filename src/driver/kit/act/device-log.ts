// The log of a device as text: whole or not at all. Its end matters most, and no device gives only that.
import { PeerError } from '../../../base/errors.ts';
import type { MinerLink, MinerRequest } from '../../contract.ts';

const LIMITS = { deadlineMs: 30_000, maxBytes: 1024 * 1024 } as const;

/** A log of more than 1 MiB is `peer.rejected`: to ask for it again would be no use. */
export async function fetchLog(link: MinerLink, request: MinerRequest): Promise<string> {
  try {
    return String(await link.send(request, LIMITS));
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

// A question that an action can do without: what came of a command, or what was before. It decides nothing.
import { PeerError } from '../../../base/errors.ts';
import type { ExchangeLimits, MinerLink, MinerRequest } from '../../../transport/request.ts';
import { Answer } from '../answer.ts';

/** Empty when the device does not say. */
export async function tryToAsk(link: MinerLink, request: MinerRequest, limits?: ExchangeLimits): Promise<Answer> {
  try {
    return new Answer(await link.send(request, limits));
  } catch (error) {
    if (error instanceof PeerError) return new Answer(undefined);
    throw error;
  }
}

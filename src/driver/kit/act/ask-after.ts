// A look after a command. It decides nothing: what the device says then is each family's own.
import { PeerError } from '../../../base/errors.ts';
import type { MinerLink, MinerRequest } from '../../../transport/request.ts';
import { Answer } from '../answer.ts';

/** Empty when the device does not say: then it is for the next visits to see. */
export async function askAfter(link: MinerLink, request: MinerRequest): Promise<Answer> {
  try {
    return new Answer(await link.send(request));
  } catch (error) {
    if (error instanceof PeerError) return new Answer(undefined);
    throw error;
  }
}

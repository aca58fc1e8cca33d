// Actions of Bitmain's web dialect (atlas 3.4, 20, 22): reboot, the blinking light, the log. The core looks at the
// device afterwards for the effect.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import { fetchLog } from '../../src/driver/kit/act/device-log.ts';
import { orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED } from '../../src/driver/kit/act/outcomes.ts';
import { light as lightBy, log, reboot as rebootBy } from '../../src/driver/kit/act/usual-abilities.ts';
import { BLINK_OFF, BLINK_ON, page } from './bitmain-web.ts';

export const reboot = rebootBy([40, 180], async (link) => {
  try {
    await link.send({ via: 'http', method: 'GET', path: '/cgi-bin/reboot.cgi', auth: 'digest', as: 'text' });
    return ACCEPTED;
  } catch (error) {
    // The system goes down under its own web server: no answer is what success looks like.
    if (error instanceof PeerError && wasPerhapsHeard(error)) return { kind: 'lost-reply' };
    throw error;
  }
});

function wasPerhapsHeard({ code, wasSent }: PeerError): boolean {
  return (code === 'peer.reset' || code === 'peer.timeout') && wasSent !== false;
}

const blinkAnswer = z.looseObject({ code: z.string() });

/** `flag` is how the firmware writes yes and no. */
export const light = (flag: (on: boolean) => boolean | string) =>
  lightBy((link, on) =>
    orLostReply(async () => {
      const answer = await link.send({ ...page('blink.cgi'), method: 'POST', json: { blink: flag(on) } });
      const code = blinkAnswer.safeParse(answer).data?.code;
      if (code === undefined || code === (on ? BLINK_ON : BLINK_OFF))
        return { kind: 'accepted', ...(code && { note: code }) };
      throw new PeerError(
        'peer.rejected',
        `switch the light of ${link.ip}: the device answers ${code.slice(0, 32)}`,
        'later',
      );
    }),
  );

/** Builds have one page or the other. */
export const kernelLog = log(async (link) => {
  const read = (name: string) => fetchLog(link, { ...page(name), as: 'text' });
  try {
    return await read('get_kernel_log.cgi');
  } catch (error) {
    if (!(error instanceof PeerError) || error.code !== 'peer.unsupported') throw error;
    return read('log.cgi');
  }
});

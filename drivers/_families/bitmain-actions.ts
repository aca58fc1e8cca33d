// What Bitmain's web dialect can be told (atlas 3.4, 20, 22): reboot and the blinking light. Whether the device obeyed is found out by looking,
// not here.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability } from '../../src/driver/contract.ts';
import { BLINK_OFF, BLINK_ON } from './bitmain-web.ts';

export const reboot: Ability = {
  effect: 'once',
  offlineS: [40, 180],
  params: z.looseObject({}),
  async act(link) {
    try {
      await link.send({ via: 'http', method: 'GET', path: '/cgi-bin/reboot.cgi', auth: 'digest', as: 'text' });
      return { kind: 'accepted' };
    } catch (error) {
      // The system goes down under its own web server: no answer is what success looks like.
      if (error instanceof PeerError && wasPerhapsHeard(error)) return { kind: 'lost-reply' };
      throw error;
    }
  },
};

function wasPerhapsHeard({ code, wasSent }: PeerError): boolean {
  return (code === 'peer.reset' || code === 'peer.timeout') && wasSent !== false;
}

const lightParams = z.looseObject({ on: z.boolean() });
const blinkAnswer = z.looseObject({ code: z.string() });

/** `flag` is how the firmware writes yes and no. */
export const light = (flag: (on: boolean) => boolean | string): Ability => ({
  effect: 'repeatable',
  offlineS: [0, 0],
  params: lightParams,
  async act(link, params) {
    const { on } = lightParams.parse(params);
    const answer = await link.send({
      via: 'http',
      method: 'POST',
      path: '/cgi-bin/blink.cgi',
      auth: 'digest',
      json: { blink: flag(on) },
      as: 'json',
    });
    const code = blinkAnswer.safeParse(answer).data?.code;
    if (code === undefined || code === (on ? BLINK_ON : BLINK_OFF))
      return { kind: 'accepted', ...(code && { note: code }) };
    throw new PeerError(
      'peer.rejected',
      `switch the light of ${link.ip}: the device answers ${code.slice(0, 32)}`,
      'later',
    );
  },
});

// What a stock Antminer of generation B or C can be told (atlas 3.4). Whether it obeyed is found out by looking, not here.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName } from '../../src/driver/contract.ts';

const lightParams = z.looseObject({ on: z.boolean() });
const blinkAnswer = z.looseObject({ code: z.string() });

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot: {
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
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    async act(link, params, known) {
      if (known.generation === 'a') {
        throw new PeerError('peer.unsupported', `switch the light of ${link.ip}, whose firmware is too old`, 'never');
      }
      const { on } = lightParams.parse(params);
      const answer = await link.send({
        via: 'http',
        method: 'POST',
        path: '/cgi-bin/blink.cgi',
        auth: 'digest',
        json: { blink: on ? 'true' : 'false' },
        as: 'json',
      });
      const code = blinkAnswer.safeParse(answer).data?.code;
      if (code === undefined || code === (on ? 'B000' : 'B100'))
        return { kind: 'accepted', ...(code && { note: code }) };
      throw new PeerError(
        'peer.rejected',
        `switch the light of ${link.ip}: the device answers ${code.slice(0, 32)}`,
        'later',
      );
    },
  },
};

function wasPerhapsHeard({ code, wasSent }: PeerError): boolean {
  return (code === 'peer.reset' || code === 'peer.timeout') && wasSent !== false;
}

// Actions of Bitmain's web dialect (atlas 3.4, 20, 22): reboot, the blinking light, the log. The core looks at the
// device afterwards for the effect.
import * as kit from '../../src/driver/kit/index.ts';
import { BLINK_OFF, BLINK_ON, page, submit } from './bitmain-web.ts';

export const reboot = kit.reboot([40, 180], async (link) => {
  try {
    await link.send(kit.asText(page('reboot.cgi')));
    return kit.ACCEPTED;
  } catch (error) {
    // The system goes down under its own web server: no answer is what success looks like.
    if (error instanceof kit.PeerError && wasPerhapsHeard(error)) return { kind: 'lost-reply' };
    throw error;
  }
});

const wasPerhapsHeard = ({ code, wasSent }: kit.PeerError): boolean =>
  (code === 'peer.reset' || code === 'peer.timeout') && wasSent !== false;

/** `flag` is how the firmware writes yes and no. */
export const light = (flag: (on: boolean) => boolean | string) =>
  kit.light((link, on) =>
    kit.command(link, 'switch the light of', submit('blink.cgi', { json: { blink: flag(on) } }), (answer) => {
      const code = answer.text('code', 32);
      if (code === undefined) return true;
      return code === (on ? BLINK_ON : BLINK_OFF) ? { kind: 'accepted', note: code } : { why: code, retry: 'later' };
    }),
  );

/** Builds have one page or the other. */
export const kernelLog = kit.log((link) => {
  const read = (name: string) => kit.fetchLog(link, kit.asText(page(name)));
  return kit.orElse(
    () => read('get_kernel_log.cgi'),
    () => read('log.cgi'),
    ['peer.unsupported'],
  );
});

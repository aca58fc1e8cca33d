// What stock Antminers from before 2020 can be told and do in another way than later ones (atlas 3.4): firmware, and
// how to know them.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, Known, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { reboot } from '../_dialects/bitmain-actions.ts';
import { formLight, formMode, formPools } from '../_dialects/bitmain-forms.ts';
import { page } from '../_dialects/bitmain-web.ts';

const UPLOAD_MS = 1_800_000;

/** Whether the device has the old web. Where its build date is not known, a page of the web of 2020 tells. */
export async function isGenerationA(link: MinerLink, known: Known): Promise<boolean> {
  if (known.generation !== undefined) return known.generation === 'a';
  try {
    await link.send(page('summary.cgi'));
    return false;
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    if (error.code === 'peer.unsupported' || error.code === 'peer.unparsable') return true;
    return beforeAct(link, 'ask for the web of', () => Promise.reject(error));
  }
}

const firmware: Ability = {
  effect: 'once',
  offlineS: [180, 900],
  params: z.looseObject({}),
  async act(link, _params, known, image) {
    const what = `put firmware on ${link.ip}`;
    const refuse = (why: string) => unsupported(link, 'put firmware on', why);
    if (image === undefined) throw refuse('there is no image');
    const [first, second] = new Uint8Array(await image.bytes.slice(0, 2).arrayBuffer());
    if (first !== 0x1f || second !== 0x8b)
      throw refuse(`${image.name} is no tar.gz, which is all that this firmware takes`);
    const upload = { fields: {}, file: { field: 'file', name: image.name, bytes: image.bytes } };
    const told = await orLostReply(async (): Promise<ActResult> => {
      const request = { ...page('upgrade.cgi'), method: 'POST', upload, as: 'text' } as const;
      const answer = String(await link.send(request, { deadlineMs: UPLOAD_MS }));
      if (/upgrade fail/i.test(answer)) {
        throw new PeerError('peer.rejected', what, 'never', new Error(reasonIn(answer)), { wasSent: false });
      }
      return /upgrade success/i.test(answer) ? { kind: 'accepted' } : { kind: 'lost-reply' };
    });
    // In a browser it is the page of success that reboots the device.
    return told.kind === 'accepted' ? reboot.act(link, {}, known) : told;
  },
};

/** The words between the headline and the button. */
const reasonIn = (html: string) =>
  (html.match(/<p>([^<]{1,200})<\/p>\s*<table/i)?.[1] ?? 'the device says that it failed').trim();

export const generationA = {
  light: formLight,
  powerMode: formMode,
  pools: formPools,
  firmware,
} as const satisfies Partial<Record<AbilityName, Ability>>;

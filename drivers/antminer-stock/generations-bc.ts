// What stock Antminers from 2020 on can be told in another way than older ones (atlas 3.4, 3.5): modes, pools and light
// as JSON, firmware out of bundles that are checked against the machine. Whether it obeyed is found out by looking, not
// here.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, FirmwareImage, Known, MinerLink } from '../../src/driver/contract.ts';
import { light } from '../_families/bitmain-actions.ts';
import { bitmainBody, type Conf } from '../_families/bitmain-conf.ts';
import { bitmainMode, confMode, likeBefore, modeNumber, UNCLEAR } from '../_families/bitmain-modes.ts';
import { confPools } from '../_families/bitmain-pools.ts';
import { page } from '../_families/bitmain-web.ts';
import { beforeAct, orLostReply } from '../_families/lost-reply.ts';
import { unsupported } from '../_families/outcomes.ts';
import { type Found, firmwareFor, type Machine } from './bundle.ts';

/** Numbers on B, texts on C; where the generation is not known, as the device itself writes it. */
function inForm(conf: Conf, number: number, { generation }: Known): number | string {
  if (generation === 'b') return number;
  return generation === 'c' ? String(number) : likeBefore(conf['miner-mode'] ?? conf['bitmain-work-mode'], number);
}

const powerMode = confMode({
  toNumber: (mode, { model }) => modeNumber(mode, model),
  modeOf: bitmainMode,
  body: (conf, number, known) => bitmainBody(conf, { mode: inForm(conf, number, known) }),
});

/** The mode goes back as it was; where its two names disagree, both of them do. */
const pools = confPools((conf, wanted, known) => {
  const mode = bitmainMode(conf);
  const isClear = mode !== undefined && mode !== UNCLEAR;
  return bitmainBody(conf, { pools: wanted, ...(isClear && { mode: inForm(conf, mode, known) }) });
});

const UPLOAD_MS = 1_800_000;
const text = z.string().trim().min(1).max(128).optional().catch(undefined);
const typePage = z.looseObject({ miner_type: text, subtype: text });
const systemPage = z.looseObject({ minertype: text });
const upgradeAnswer = z.looseObject({ stats: text, code: text, msg: text });

const firmware: Ability = {
  effect: 'once',
  offlineS: [180, 900],
  params: z.looseObject({}),
  async act(link, _params, _known, image) {
    const what = `put firmware on ${link.ip}`;
    const machine = await machineOf(link);
    const found = await partFor(image, machine);
    if (typeof found === 'string') throw unsupported(link, 'put firmware on', found);
    const upload = { fields: {}, file: { field: 'firmware', ...found } };
    return orLostReply(async (): Promise<ActResult> => {
      const answer = await link.send({ ...page('upgrade.cgi'), method: 'POST', upload }, { deadlineMs: UPLOAD_MS });
      const { stats, code, msg } = upgradeAnswer.safeParse(answer).data ?? {};
      if (code === 'U000' || (code === undefined && stats === 'success')) return { kind: 'accepted', note: 'U000' };
      // Words without a code of success: whether it restarts shows soon.
      if (code === undefined && stats === undefined) return { kind: 'lost-reply' };
      const cause = new Error([code, msg].filter(Boolean).join(' ').slice(0, 128));
      throw new PeerError('peer.rejected', what, 'never', cause, { wasSent: false });
    });
  },
};

/** Builds from before late 2021 do not tell their boards. */
const machineOf = (link: MinerLink): Promise<Machine> =>
  beforeAct(link, 'put firmware on', async () => {
    try {
      const { miner_type: model, subtype } = typePage.safeParse(await link.send(page('miner_type.cgi'))).data ?? {};
      if (model !== undefined) return { model, ...(subtype && { subtype }) };
    } catch (error) {
      if (!(error instanceof PeerError) || error.code !== 'peer.unsupported') throw error;
    }
    const { minertype: model } = systemPage.safeParse(await link.send(page('get_system_info.cgi'))).data ?? {};
    if (model === undefined) throw new PeerError('peer.unparsable', `ask ${link.ip} what it is`, 'later');
    return { model };
  });

async function partFor(image: FirmwareImage | undefined, machine: Machine): Promise<Found | string> {
  if (image === undefined) return 'there is no image';
  try {
    const found = await firmwareFor(image.bytes, machine);
    return typeof found === 'string' ? `${image.name}: ${found}` : { ...found, name: found.name || image.name };
  } catch {
    return `${image.name} cannot be read`;
  }
}

export const generationsBc = { light: light(String), powerMode, pools, firmware } as const satisfies Partial<
  Record<AbilityName, Ability>
>;

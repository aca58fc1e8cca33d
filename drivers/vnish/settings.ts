// The settings of VNish: read whole, changed in part, and in force after the restart that the answer asks for.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { sendLoggedIn } from './requests.ts';

const DEADLINE_MS = 20_000;

const settings = z.looseObject({
  miner: z.looseObject({
    /** Scrypt machines name presets by rates, others by watts; some write the watts as a number. */
    overclock: z
      .looseObject({
        preset: z.union([z.string(), z.number()]).transform(String).optional().catch(undefined),
      })
      .optional(),
  }),
});

/** Throws PeerError `peer.unparsable` when the answer is none. */
export async function readSettings(link: MinerLink): Promise<z.output<typeof settings>['miner']> {
  const web = { method: 'GET', path: 'settings', as: 'json' } as const;
  const found = settings.safeParse(await sendLoggedIn(link, web, { deadlineMs: DEADLINE_MS }));
  if (!found.success) throw new PeerError('peer.unparsable', `read the settings of ${link.ip}`, 'later');
  return found.data.miner;
}

const presets = z.array(z.looseObject({ name: z.union([z.string(), z.number()]).transform(String) })).min(1);

/**
 * False only when the device lists its presets and this is none of them. Without a list the device itself is to judge.
 */
export async function mayHavePreset(link: MinerLink, preset: string): Promise<boolean> {
  const web = { method: 'GET', path: 'autotune/presets', as: 'json' } as const;
  try {
    const { data } = presets.safeParse(await sendLoggedIn(link, web, { deadlineMs: DEADLINE_MS }));
    return data === undefined || preset === 'disabled' || data.some(({ name }) => name === preset);
  } catch (error) {
    if (!(error instanceof PeerError) || !NO_LIST.has(error.code)) throw error;
    return true;
  }
}
const NO_LIST: ReadonlySet<string> = new Set([
  'peer.unsupported',
  'peer.rejected',
  'peer.unparsable',
  'peer.too-large',
]);

const saved = z.looseObject({ restart_required: z.boolean().optional(), reboot_required: z.boolean().optional() });

/**
 * `isKept` looks whether the device keeps what it said yes to; what cannot be looked at now is for the next visits to
 * see.
 */
export async function changeSettings(
  link: MinerLink,
  what: string,
  json: object,
  isKept?: () => Promise<boolean>,
): Promise<ActResult> {
  let wants: z.output<typeof saved> | undefined;
  const result = await orLostReply(async () => {
    const web = { method: 'POST', path: 'settings', json, as: 'json' } as const;
    wants = saved.safeParse(await sendLoggedIn(link, web, { deadlineMs: DEADLINE_MS })).data;
    return { kind: 'accepted' };
  });
  if (result.kind === 'lost-reply') return result;
  if (isKept !== undefined && !(await isKeptAsFarAsKnown(isKept))) {
    const cause = new Error('the device says yes and keeps its settings');
    throw new PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause);
  }
  if (wants?.reboot_required === true) return { kind: 'accepted', note: 'the device wants a reboot for it' };
  if (wants?.restart_required !== true) return result;
  return orLostReply(async () => {
    await sendLoggedIn(link, { method: 'POST', path: 'mining/restart', as: 'text' }, { deadlineMs: DEADLINE_MS });
    return { kind: 'accepted', note: 'mining restarts' };
  });
}

async function isKeptAsFarAsKnown(isKept: () => Promise<boolean>): Promise<boolean> {
  try {
    return await isKept();
  } catch (error) {
    if (error instanceof PeerError) return true;
    throw error;
  }
}

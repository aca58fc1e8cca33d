// What MARA firmware can be told (atlas 14): reboot, light, sleep and stock mode. A configuration is read, sent back whole, and read again.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName } from '../../src/driver/contract.ts';
import { orLostReply } from '../_families/lost-reply.ts';

type MinerLink = Parameters<Ability['act']>[0];

/** Reads and, posted to, writes. */
export const resource = (name: string) =>
  ({ via: 'http', method: 'GET', path: `/kaonsu/v1/${name}`, auth: 'digest', as: 'json' }) as const;

const DEADLINE_MS = 30_000;

/** What the answer to a write says is not known: a status below 400 is a yes. */
const write = (link: MinerLink, name: string, json: unknown) =>
  link.send({ ...resource(name), method: 'POST', json, as: 'text' }, { deadlineMs: DEADLINE_MS });

const lightParams = z.looseObject({ on: z.boolean() });
const modeParams = z.looseObject({ mode: z.enum(['sleep', 'low', 'normal', 'high']) });
const configAnswer = z.looseObject({ mode: z.looseObject({ 'work-mode-selector': z.string() }) });

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot: {
    effect: 'once',
    offlineS: [40, 180],
    params: z.looseObject({}),
    act: (link) =>
      orLostReply(async () => {
        await write(link, 'maintenance', { type: 'reboot' });
        return { kind: 'accepted' };
      }),
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    async act(link, params) {
      const { on } = lightParams.parse(params);
      return orLostReply(async () => {
        await write(link, 'locate_miner', { blinking: on });
        return { kind: 'accepted' };
      });
    },
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 60],
    params: modeParams,
    async act(link, params) {
      const { mode } = modeParams.parse(params);
      if (mode !== 'sleep' && mode !== 'normal') {
        throw new PeerError('peer.unsupported', `set the mode of ${link.ip} to ${mode}`, 'never');
      }
      const config = configAnswer.safeParse(await link.send(resource('miner_config')));
      if (!config.success) {
        throw new PeerError('peer.unparsable', `read the configuration of ${link.ip}`, 'later', undefined, {
          wasSent: false,
        });
      }
      const before = config.data.mode['work-mode-selector'];
      if (is(before, mode)) return { kind: 'accepted', note: 'was so before' };
      const selector = mode === 'sleep' ? 'Sleep' : 'Stock';
      const json = { ...config.data, mode: { ...config.data.mode, 'work-mode-selector': selector } };
      const result = await orLostReply(async () => {
        await write(link, 'miner_config', json);
        return { kind: 'accepted' };
      });
      if (result.kind === 'lost-reply') return result;
      const after = await selectorNow(link);
      if (after === undefined || is(after, mode)) return result;
      const cause = new Error('the device says yes and keeps its mode');
      throw new PeerError('peer.rejected', `set the mode of ${link.ip}`, 'never', cause);
    },
  },
};

const is = (selector: string, mode: 'sleep' | 'normal') =>
  mode === 'sleep' ? /^sleep$/i.test(selector) : /^(stock|fixed)$/i.test(selector);

/** Undefined when the device does not say: then it is for the next visits to see. */
async function selectorNow(link: MinerLink): Promise<string | undefined> {
  try {
    const config = configAnswer.safeParse(await link.send(resource('miner_config')));
    return config.data?.mode['work-mode-selector'];
  } catch (error) {
    if (error instanceof PeerError) return undefined;
    throw error;
  }
}

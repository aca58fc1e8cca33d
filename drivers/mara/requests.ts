// How MARA firmware is asked and told things (atlas 14): resources of one API, and one configuration that goes back
// whole.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';

/** Reads and, posted to, writes. */
export const resource = (name: string) =>
  ({ via: 'http', method: 'GET', path: `/kaonsu/v1/${name}`, auth: 'digest', as: 'json' }) as const;

const DEADLINE_MS = 30_000;

/** `{"error":false,"msg":"success"}`. Older builds may say less: what is no clear refusal is a yes. */
export const write = (link: MinerLink, what: string, name: string, json: unknown): Promise<ActResult> =>
  orLostReply(async () => {
    const request = { ...resource(name), method: 'POST', json, as: 'text' } as const;
    const answer = String(await link.send(request, { deadlineMs: DEADLINE_MS }));
    if (!/"error"\s*:\s*true/.test(answer)) return { kind: 'accepted' };
    const words = answer.match(/"msg"\s*:\s*"([^"]{1,128})"/)?.[1] ?? 'the device says that it failed';
    throw new PeerError('peer.rejected', `${what} ${link.ip}`, 'never', new Error(words), { wasSent: false });
  });

const configPage = z.looseObject({
  mode: z.looseObject({
    'work-mode-selector': z.string(),
    concorde: z.looseObject({}).optional().catch(undefined),
  }),
  'pool-group': z.array(z.looseObject({ gid: z.union([z.number(), z.string()]) })).catch([]),
});
export type Config = z.output<typeof configPage>;

/** `what` as in "set the mode of". Whatever fails, nothing has been changed. */
export const readConfig = (link: MinerLink, what: string): Promise<Config> =>
  beforeAct(link, what, async () => {
    const config = configPage.safeParse(await link.send(resource('miner_config')));
    if (!config.success) throw new PeerError('peer.unparsable', `read the configuration of ${link.ip}`, 'later');
    return config.data;
  });

/** Undefined when the device does not say: then it is for the next visits to see. */
export async function modeNow(link: MinerLink): Promise<Config['mode'] | undefined> {
  try {
    return configPage.safeParse(await link.send(resource('miner_config'))).data?.mode;
  } catch (error) {
    if (error instanceof PeerError) return undefined;
    throw error;
  }
}

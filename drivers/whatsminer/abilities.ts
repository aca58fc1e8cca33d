// What we change on a Whatsminer: reboot, light, power mode (atlas 4.2, 4.3). API 1 takes no writes. The write API of generation 2 is off by
// default and stays off until its owner switches it on with the maker's tool: we report that and work around nothing.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, Known } from '../../src/driver/contract.ts';
import { bool, int, text } from '../../src/driver/fields.ts';
import { orLostReply } from '../_families/lost-reply.ts';
import { modeOf, powerMode } from './facts.ts';
import { generationOf } from './identify.ts';
import { deviceInfo } from './replies.ts';

type MinerLink = Parameters<Ability['act']>[0];
type MinerRequest = Parameters<MinerLink['send']>[0];

/** A device that restarts often leaves without a word: waiting longer tells nothing. */
const DEADLINE_MS = 8_000;

type Write2 = { readonly cmd: string; readonly params?: Readonly<Record<string, string | number>> };
type Write3 = { readonly cmd: string; readonly param?: unknown };
/** The commands of one action, in order; empty = this API has none. */
type Plan = { readonly api2: readonly Write2[]; readonly api3: readonly Write3[] };

const REBOOT: Plan = {
  api2: [{ cmd: 'reboot', params: { respbefore: 'true' } }],
  api3: [{ cmd: 'set.system.reboot' }],
};

const blink = (color: 'red' | 'green') => ({ color, period: 200, duration: 100, start: 0 });

const LIGHT_ON: Plan = {
  api2: [
    { cmd: 'set_led', params: blink('red') },
    { cmd: 'set_led', params: blink('green') },
  ],
  api3: [{ cmd: 'set.system.led', param: [blink('red'), blink('green')] }],
};
const LIGHT_OFF: Plan = {
  api2: [{ cmd: 'set_led', params: { param: 'auto' } }],
  api3: [{ cmd: 'set.system.led', param: 'auto' }],
};
const SLEEP: Plan = {
  api2: [{ cmd: 'power_off', params: { respbefore: 'true' } }],
  api3: [{ cmd: 'set.miner.service', param: 'stop' }],
};
const WAKE: Plan = {
  api2: [{ cmd: 'power_on' }],
  api3: [{ cmd: 'set.miner.service', param: 'start' }],
};
const mode = (name: 'low' | 'normal' | 'high'): Plan => ({
  api2: [{ cmd: `set_${name}_power` }],
  api3: [{ cmd: 'set.miner.power_mode', param: name }],
});

const lightParams = z.looseObject({ on: z.boolean() });
const modeParams = z.looseObject({ mode: z.enum(['sleep', 'low', 'normal', 'high']) });

export const abilities = {
  reboot: {
    effect: 'once',
    offlineS: [40, 180],
    params: z.looseObject({}),
    act: async (link, _params, known) => carryOut(link, await dialect(link, known, 'reboot'), [REBOOT], 'reboot'),
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    async act(link, params, known) {
      const { on } = lightParams.parse(params);
      return carryOut(link, await dialect(link, known, 'light'), [on ? LIGHT_ON : LIGHT_OFF], 'switch the light of');
    },
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 60],
    params: modeParams,
    async act(link, params, known) {
      const wanted = modeParams.parse(params).mode;
      const api = await dialect(link, known, 'power mode');
      if (wanted === 'sleep') return carryOut(link, api, [SLEEP], 'suspend');
      const now = await powerState(link, api);
      // The mode can only be set while the miner is powered on, and setting it restarts the mining process: not for nothing.
      const steps = [...(now.isSuspended ? [WAKE] : []), ...(now.mode === wanted ? [] : [mode(wanted)])];
      return carryOut(link, api, steps, 'set the power mode of');
    },
  },
} as const satisfies Partial<Record<AbilityName, Ability>>;

type Api = 'api2' | 'api3';

/** Throws `peer.unsupported` before anything is changed when the firmware takes no writes. */
async function dialect(link: MinerLink, known: Known, what: string): Promise<Api> {
  const generation = known.generation === 'api3' || known.generation === 'api1' ? known.generation : await ask(link);
  if (generation !== 'api1') return generation;
  const cause = new Error('firmware before 2022-07-29 takes no commands over its API');
  throw new PeerError('peer.unsupported', `change ${what} of ${link.ip}`, 'never', cause);
}

/** API 1 and 2 look alike until the firmware is asked, and a firmware may have been changed since the last scan. */
async function ask(link: MinerLink): Promise<'api1' | Api> {
  const answer = await link.send({ via: 'cgminer', command: 'get_version' }, { deadlineMs: DEADLINE_MS });
  return generationOf(JSON.stringify(answer) ?? '') ?? 'api2';
}

const powerReply = z.looseObject({
  Msg: z.looseObject({ mineroff: bool(), power_mode: text() }).optional().catch(undefined),
  msg: deviceInfo.optional().catch(undefined),
});

async function powerState(
  link: MinerLink,
  api: Api,
): Promise<{ isSuspended: boolean; mode: ReturnType<typeof powerMode> }> {
  const request: MinerRequest =
    api === 'api2' ? { via: 'cgminer', command: 'status' } : { via: 'whatsminer3', cmd: 'get.device.info' };
  const { Msg, msg } = powerReply.safeParse(await link.send(request, { deadlineMs: DEADLINE_MS })).data ?? {};
  return {
    isSuspended: Msg?.mineroff === true || msg?.miner?.working === false,
    mode: powerMode(Msg?.power_mode) ?? modeOf(msg?.power?.mode),
  };
}

/** Sends the commands one after another and stops at the first that is refused (thrown) or whose answer is lost. */
async function carryOut(link: MinerLink, api: Api, plans: readonly Plan[], what: string): Promise<ActResult> {
  let result: ActResult = { kind: 'accepted' };
  for (const write of plans.flatMap((plan): readonly (Write2 | Write3)[] => plan[api])) {
    const request: MinerRequest =
      api === 'api2'
        ? { via: 'whatsminer2-write', cmd: write.cmd, params: 'params' in write ? (write.params ?? {}) : {} }
        : { via: 'whatsminer3-write', cmd: write.cmd, ...('param' in write && { param: write.param }) };
    result = await orLostReply(async () => judge(await link.send(request, { deadlineMs: DEADLINE_MS }), what, link.ip));
    if (result.kind === 'lost-reply') return result;
  }
  return result;
}

const REFUSALS: Readonly<Record<number, PeerError['code']>> = {
  14: 'peer.unsupported',
  23: 'peer.auth',
  45: 'peer.permission',
  135: 'peer.auth',
  136: 'peer.busy',
  [-1]: 'peer.unsupported',
  [-4]: 'peer.permission',
};

const envelope = z.looseObject({ Code: int(), code: int(), Msg: text(), msg: text() }).catch({});

/** Envelopes of both APIs: `Code` 131 and `code` 0 are yes, all else is the device's no. */
function judge(answer: unknown, what: string, ip: string): ActResult {
  const { Code, code, Msg, msg } = envelope.parse(answer);
  const number = Code ?? code;
  const words = Msg ?? msg;
  // It went out and something came back, but nothing that says yes or no.
  if (number === undefined) {
    throw new PeerError('peer.unparsable', `${what} ${ip}`, 'later', undefined, { wasSent: true });
  }
  if (number === 131 || number === 0) return { kind: 'accepted', ...(words !== undefined && { note: words }) };
  const refusal = REFUSALS[number] ?? 'peer.rejected';
  const cause = new Error(`the device says "${words ?? ''}" (code ${number})`);
  throw new PeerError(refusal, `${what} ${ip}`, refusal === 'peer.busy' ? 'later' : 'never', cause);
}

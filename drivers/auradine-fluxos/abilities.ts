// What we change on Auradine machines (atlas 10): reboot, lamp, modes and tuning targets, pools; firmware, which the
// machine fetches by itself.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct } from '../../src/driver/kit/act/lost-reply.ts';
import { SO_ALREADY, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { ability, light, modesAndPresets, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { showsVersionIn } from '../../src/driver/kit/words/firmware-version.ts';
import { parseTarget, sameTarget } from '../../src/driver/kit/words/target-preset.ts';
import type { PowerMode } from '../../src/model/tasks/task-params.ts';
import { LOCATE, NORMAL } from './errors.data.ts';
import { NAMED, sleeps, tuningOf } from './read.ts';
import { ledReply, modeReply } from './replies.ts';
import { resource, sendCommand } from './requests.ts';

const DEADLINE_MS = 10_000;

export const abilities = {
  reboot: reboot([40, 180], (link) => sendCommand(link, 'restart')),
  light: light(async (link, on) => {
    const { Code: code } = await rowOf(link, 'led', (answer) => ledReply.safeParse(answer).data?.LED?.[0]);
    // The lamp shows faults too: those are not wiped away.
    if ((code === LOCATE) === on) return SO_ALREADY;
    return sendCommand(link, 'led', { code: on ? LOCATE : NORMAL });
  }),
  /** A preset is a target to tune to: `160 TH/s`, `3000 W`. */
  powerMode: modesAndPresets({
    offlineS: [0, 60],
    set: (link, { mode, preset }) => (preset === undefined ? setMode(link, mode ?? 'normal') : setTarget(link, preset)),
    shows({ miningMode, miningModePreset }, { mode, preset }) {
      if (miningMode === undefined) return undefined;
      return preset === undefined
        ? miningMode === mode
        : miningMode !== 'sleep' && sameTarget(miningModePreset, preset);
    },
    shownWithinS: 120,
  }),
  pools: pools({
    offlineS: [0, 60],
    atMost: 3,
    set: (link, wanted) =>
      sendCommand(link, 'updatepools', {
        pools: wanted.map(({ url, user, password }) => ({ url, user, pass: password === '' ? 'x' : password })),
      }),
    shownWithinS: 120,
  }),
  /** It takes no file, only an address to fetch one from. */
  firmware: ability({
    effect: 'once',
    offlineS: [60, 900],
    params: z.looseObject({ url: z.url({ protocol: /^https?$/ }), version: z.string().optional() }),
    act: (link, { url }) => sendCommand(link, 'firmware-upgrade', { url }),
    shows: ({ firmwareVersion }, { version }) => showsVersionIn(firmwareVersion, version),
    shownWithinS: 900,
    fetchesItself: 'from-url',
  }),
} as const satisfies Readonly<Partial<Record<AbilityName, Ability>>>;

const rowOf = <T>(link: MinerLink, name: string, pick: (answer: unknown) => T | undefined): Promise<T> =>
  beforeAct(link, `read ${name} of`, async () => {
    const row = pick(await link.send(resource(name), { deadlineMs: DEADLINE_MS }));
    if (row === undefined) throw new PeerError('peer.unparsable', `read ${name} of ${link.ip}`, 'later');
    return row;
  });

const modeOf = (link: MinerLink) => rowOf(link, 'mode', (answer) => modeReply.safeParse(answer).data?.Mode?.[0]);

async function setMode(link: MinerLink, mode: PowerMode): Promise<ActResult> {
  const now = await modeOf(link);
  const isAsleep = sleeps(now) === true;
  if (mode === 'sleep') return isAsleep ? SO_ALREADY : sendCommand(link, 'mode', { sleep: 'on' });
  const [name] = Object.entries(NAMED).find(([, means]) => means === mode) ?? [];
  return inOrder(link, isAsleep, now.Mode?.toLowerCase() === name ? undefined : { mode: name });
}

async function setTarget(link: MinerLink, preset: string): Promise<ActResult> {
  const target = parseTarget(preset);
  if (target === undefined) throw unsupported(link, `set '${preset}' on`);
  const now = await modeOf(link);
  const isSet = sameTarget(tuningOf(now).preset, preset);
  const { value, unit } = target;
  const wanted = unit === 'W' ? { tune: 'power', power: value } : { tune: 'ths', ths: value };
  return inOrder(link, sleeps(now) === true, isSet ? undefined : { mode: 'custom', ...wanted });
}

/** The mode first: it wakes to what it is meant to do. */
async function inOrder(link: MinerLink, isAsleep: boolean, mode: object | undefined): Promise<ActResult> {
  const set = mode === undefined ? SO_ALREADY : await sendCommand(link, 'mode', mode);
  return isAsleep && set.kind === 'accepted' ? sendCommand(link, 'mode', { sleep: 'off' }) : set;
}

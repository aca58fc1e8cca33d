// Sleep, wake and targets of Braiins OS. A target that the device takes and does not keep is a refusal: it is read back
// before it counts.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { modesAndPresets } from '../../src/driver/kit/act/usual-abilities.ts';
import { RUNNING } from './read-rest.ts';
import { configurationReply, detailsReply } from './replies-rest.ts';
import { graphql, QUERIES, rest } from './requests.ts';
import { DEADLINE_MS, firstKnown, mutate, put, tell } from './send.ts';

type Target = { readonly kind: 'power' | 'hashrate'; readonly value: number };

const TARGET = /^(\d{1,6}(?:\.\d{1,3})?)\s*(w|watt|watts|th|th\/s)?$/i;

function targetOf(preset: string): Target | undefined {
  const [, digits, unit = 'w'] = TARGET.exec(preset.trim()) ?? [];
  if (digits === undefined || Number(digits) === 0) return undefined;
  return /^w/i.test(unit)
    ? { kind: 'power', value: Math.round(Number(digits)) }
    : { kind: 'hashrate', value: Number(digits) };
}

/** A preset is a target such as `3000 W` or `140 TH`; a number alone is watts. */
export const powerMode = modesAndPresets({
  offlineS: [0, 0],
  async set(link, { mode, preset }) {
    const what = `set ${preset === undefined ? `the mode ${mode}` : 'a target'} on`;
    const target = preset === undefined ? undefined : targetOf(preset);
    if (mode === 'low' || mode === 'high' || (preset !== undefined && target === undefined)) {
      const why = 'Braiins OS has power targets (3000 W) and hashrate targets (140 TH), and no such mode';
      throw unsupported(link, what, why);
    }
    if (target !== undefined) return setTarget(link, what, target);
    return mode === 'sleep' ? sleep(link, what) : wake(link, what);
  },
  shows({ miningMode, isMining, powerLimitW }, { mode, preset }) {
    const target = preset === undefined ? undefined : targetOf(preset);
    if (target !== undefined) {
      if (miningMode === undefined) return undefined;
      if (target.kind === 'hashrate') return miningMode === 'hashrate_tuning';
      if (powerLimitW === undefined) return undefined;
      // The firmware may scale down below what is set, never up.
      return miningMode === 'power_tuning' && powerLimitW <= target.value;
    }
    if (mode === 'sleep') return miningMode === 'sleep' ? true : isMining === undefined ? undefined : !isMining;
    return miningMode === 'sleep' ? false : isMining;
  },
  // From cold to the first hashes.
  shownWithinS: 600,
});

const sleep = (link: MinerLink, what: string): Promise<ActResult> =>
  firstKnown(
    () => put(link, what, 'actions/pause'),
    () => mutate(link, what, { at: 'bosminer.stop', query: command('stop'), already: /not running|already|stopped/i }),
    () => tell(link, 'pause'),
  );

const wake = (link: MinerLink, what: string): Promise<ActResult> =>
  firstKnown(
    async () => {
      const answer = await beforeAct(link, what, () => link.send(rest('miner/details'), { deadlineMs: DEADLINE_MS }));
      const status = detailsReply.safeParse(answer).data?.status;
      if (status === RUNNING) return { ...ACCEPTED, note: 'it was awake already; its tuner stays as it is' };
      return put(link, what, status === 3 ? 'actions/resume' : 'actions/start');
    },
    () => mutate(link, what, { at: 'bosminer.start', query: command('start'), already: /already|is running/i }),
    () => tell(link, 'resume'),
  );

const command = (name: 'start' | 'stop') =>
  `mutation { bosminer { ${name} { __typename ... on BosminerError { message } } } }`;

/** Numbers and enums only: there is nothing in it that could end it early. */
const update = (isPower: boolean, value: number) =>
  `mutation { bosminer { config { updateAutotuning(input: { mode: ${isPower ? 'POWER' : 'HASHRATE'}_TARGET, ${isPower ? 'power' : 'hashrate'}Target: ${value} },
    apply: true) { __typename ... on AutotuningOut { autotuning { powerTarget } } } } } }`;

async function setTarget(link: MinerLink, what: string, { kind, value }: Target): Promise<ActResult> {
  const isPower = kind === 'power';
  return firstKnown(
    async () => {
      const path = isPower ? 'performance/power-target' : 'performance/hashrate-target';
      const result = await put(link, what, path, isPower ? { watt: value } : { terahash_per_second: value });
      return confirm(link, what, value, result, async () => {
        const tuner = configurationReply.safeParse(await link.send(rest('configuration/miner'))).data?.tuner;
        return isPower ? tuner?.power_target?.watt : tuner?.hashrate_target?.terahash_per_second;
      });
    },
    async () => {
      const mutation = { at: 'bosminer.config.updateAutotuning', query: update(isPower, value) };
      const result = await mutate(link, what, mutation);
      return confirm(link, what, value, result, async () => {
        const set = tuningAnswer.safeParse(await link.send(graphql(QUERIES.tuning))).data?.data.bosminer.config
          .autotuning;
        return isPower ? set?.powerTarget : set?.hashrateTarget;
      });
    },
  );
}

const target = z
  .number()
  .nullish()
  .transform((value) => value ?? undefined);
const tuningAnswer = z.looseObject({
  data: z.looseObject({
    bosminer: z.looseObject({
      config: z.looseObject({ autotuning: z.looseObject({ powerTarget: target, hashrateTarget: target }) }),
    }),
  }),
});

/** What cannot be read now is for the next visits to see. */
async function confirm(
  link: MinerLink,
  what: string,
  wanted: number,
  result: ActResult,
  read: () => Promise<number | undefined>,
): Promise<ActResult> {
  if (result.kind === 'lost-reply') return result;
  let set: number | undefined;
  try {
    set = await read();
  } catch (error) {
    if (error instanceof PeerError) return result;
    throw error;
  }
  if (set === undefined || Math.abs(set - wanted) < 1e-3 * wanted) return result;
  const cause = new Error('the device says yes and keeps its target');
  throw new PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause);
}

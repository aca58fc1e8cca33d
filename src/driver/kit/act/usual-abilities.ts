// The abilities that families share: what a task may ask for, and what a reading must show afterwards. Each family
// knows how to send it, how long the device is away, and how soon the effect shows.
import { z } from 'zod';
import type { Reading } from '../../../model/reading.ts';
import { isModeOrPreset, PARAMS_FIELDS, POWER_MODES, type PowerMode } from '../../../model/tasks/task-params.ts';
import type { Ability, ActResult, FirmwareImage, Known, MinerLink } from '../../contract.ts';
import type { Draft } from '../draft.ts';
import { sameTarget, wattsOf } from '../words/target-preset.ts';
import { unsupported } from './outcomes.ts';
import { poolParams, showsPools, type WantedPool } from './pool-params.ts';

/** Params that are not needed may be left out. */
type UsualAbility = Omit<Ability, 'act'> & {
  act(link: MinerLink, params?: unknown, known?: Known, image?: FirmwareImage): Promise<ActResult>;
};

type Spec<S extends z.ZodType> = Pick<
  Ability,
  'effect' | 'offlineS' | 'shownWithinS' | 'fetchesItself' | 'provesLogin'
> & {
  readonly params: S;
  act(link: MinerLink, params: z.output<S>, known: Known, image?: FirmwareImage): Promise<ActResult>;
  shows?(reading: Reading, params: z.output<S>): boolean | undefined;
};

/** An ability whose two functions get their params checked. */
export function ability<const S extends z.ZodType>({ act, shows, ...rest }: Spec<S>): UsualAbility {
  const { params } = rest;
  return {
    ...rest,
    act: async (link, given = {}, known = {}, image) => act(link, params.parse(given), known, image),
    ...(shows && {
      shows(reading: Reading, given: unknown) {
        const { success, data } = params.safeParse(given);
        return success ? shows(reading, data) : undefined;
      },
    }),
  };
}

const nothing = z.looseObject({});

export const reboot = (
  offlineS: Ability['offlineS'],
  tell: (link: MinerLink, known: Known) => Promise<ActResult>,
): UsualAbility =>
  ability({ effect: 'once', offlineS, params: nothing, act: (link, _params, known) => tell(link, known) });

const lightParams = z.looseObject(PARAMS_FIELDS['miner.light.update']);

/** `set` switches a light of which the device tells whether it is on. */
export const light = (set: (link: MinerLink, on: boolean, known: Known) => Promise<ActResult>): UsualAbility =>
  ability({
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    act: (link, { on }, known) => set(link, on, known),
    shows: ({ isLightOn }, { on }) => (isLightOn === undefined ? undefined : isLightOn === on),
  });

/** A light that blinks for a while and of which the device tells nothing: there is nothing to read back. */
export const blink = (start: (link: MinerLink) => Promise<ActResult>): UsualAbility =>
  ability({
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    async act(link, { on }) {
      if (on) return start(link);
      throw unsupported(link, 'end the blinking, which ends by itself, of');
    },
  });

type Timing = Pick<Ability, 'offlineS' | 'shownWithinS'>;

/** For families that have modes and nothing finer. */
export const modes = (
  timing: Timing,
  set: (link: MinerLink, mode: PowerMode, known: Known) => Promise<ActResult>,
): UsualAbility =>
  ability({
    ...{ effect: 'once', ...timing },
    params: z.looseObject({ mode: z.enum(POWER_MODES) }),
    act: (link, wanted, known) => set(link, wanted.mode, known),
    shows: ({ miningMode }, wanted) => (miningMode === undefined ? undefined : miningMode === wanted.mode),
  });

const modeOrPreset = z.looseObject(PARAMS_FIELDS['miner.power_mode.update']).refine(isModeOrPreset);

/** One of both, never none. */
type Wanted = Pick<z.output<typeof modeOrPreset>, 'mode' | 'preset'>;

/** `shows` of a mode or a preset; of what was asked before anything is changed, whether it is so already. */
export function showsWanted(
  { miningMode, miningModePreset }: Pick<Draft, 'miningMode' | 'miningModePreset'>,
  { mode, preset }: Wanted,
): boolean | undefined {
  if (miningMode === undefined && miningModePreset === undefined) return undefined;
  if (preset === undefined) return miningMode === mode;
  return miningMode !== 'sleep' && (miningModePreset === preset || sameTarget(miningModePreset, preset));
}

/** `shows` of families whose presets are power limits, in watts. */
export function showsModeOrLimit({ miningMode, powerLimitW }: Reading, { mode, preset }: Wanted): boolean | undefined {
  if (preset === undefined) return miningMode === undefined ? undefined : miningMode === mode;
  return powerLimitW === undefined ? undefined : powerLimitW === wattsOf(preset) && miningMode !== 'sleep';
}

/** For families that take a preset instead of a mode; what a preset is they say themselves. */
export const modesAndPresets = (
  spec: Timing & {
    /** Of presets, beyond their length. */
    readonly pattern?: RegExp;
    set(link: MinerLink, wanted: Wanted, known: Known): Promise<ActResult>;
    /** Default: the mode or the preset that the reading tells; a target as the same one in other words, too. */
    shows?(reading: Reading, wanted: Wanted): boolean | undefined;
  },
): UsualAbility => {
  const { pattern, set, shows = showsWanted, ...rest } = spec;
  const params =
    pattern === undefined
      ? modeOrPreset
      : modeOrPreset.refine(({ preset }) => preset === undefined || pattern.test(preset));
  return ability({ ...{ effect: 'once', ...rest }, params, act: set, shows });
};

/** The whole list of pools, best first. */
export const pools = (
  spec: Timing & {
    /** Places that the device has. */
    readonly atMost?: number;
    /** What else it takes of a list. */
    takes?(wanted: readonly WantedPool[]): boolean;
    set(link: MinerLink, wanted: readonly WantedPool[], known: Known): Promise<ActResult>;
    /** Default `showsPools`. */
    readonly shows?: NonNullable<Ability['shows']>;
  },
): UsualAbility => {
  const { atMost = Number.POSITIVE_INFINITY, takes = () => true, set, shows = showsPools, ...timing } = spec;
  return ability({
    ...{ effect: 'once', ...timing, shows },
    params: poolParams.refine(({ pools: wanted }) => wanted.length <= atMost && takes(wanted)),
    act: (link, { pools: wanted }, known) => set(link, wanted, known),
  });
};

const isSameText = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase();

/** Of a firmware task that brings its file. */
const firmwareParams = z.looseObject({ version: z.string().optional() });

/** `isVersion` compares what the device tells with what the task names; default: the same text, in any case. */
export const firmware = (
  spec: Timing & {
    send(link: MinerLink, image: FirmwareImage, known: Known): Promise<ActResult>;
    isVersion?(told: string, wanted: string): boolean | undefined;
  },
): UsualAbility => {
  const { send, isVersion = isSameText, shownWithinS = 900, offlineS } = spec;
  return ability({
    ...{ effect: 'once', offlineS, shownWithinS },
    params: firmwareParams,
    async act(link, _params, known, image) {
      if (image === undefined || image.bytes.size === 0) throw unsupported(link, 'update without an image');
      return send(link, image, known);
    },
    shows: ({ firmwareVersion: told }, { version: wanted }) =>
      told === undefined || wanted === undefined ? undefined : isVersion(told, wanted),
  });
};

const newPassword = z.looseObject(PARAMS_FIELDS['miner.password.update']);

/** For devices whose scripts may make something else of other characters, and then let in with neither. */
export const plainPassword = (longest: number): RegExp => new RegExp(`^[A-Za-z0-9._@-]{1,${longest}}$`);

/**
 * A new password for the user that the link logs in with; requests carry the one that counts until then (`carry`). The
 * core keeps both until a login with the new one is proven.
 */
export const password = (
  spec: Pick<Ability, 'offlineS' | 'shownWithinS' | 'provesLogin'> & {
    /** Of passwords, beyond what the task allows: its length or its characters. */
    readonly pattern?: RegExp;
    set(link: MinerLink, password: string, known: Known): Promise<ActResult>;
  },
): UsualAbility => {
  const { pattern, set, ...rest } = spec;
  const params =
    pattern === undefined ? newPassword : newPassword.refine(({ password: wanted }) => pattern.test(wanted));
  return ability({
    ...{ effect: 'once', ...rest },
    params,
    act: (link, { password: wanted }, known) => set(link, wanted, known),
  });
};

/** `read` gets the log as text. */
export const log = (read: (link: MinerLink, known: Known) => Promise<string>): UsualAbility =>
  ability({
    effect: 'read-only',
    offlineS: [0, 0],
    params: nothing,
    act: async (link, _params, known) => ({ kind: 'accepted', log: await read(link, known) }),
  });

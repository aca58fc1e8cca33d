// What is expected of every simulated family in every state: which flag, by which evidence, at which place. Exceptions name their reason.
import type { AnomalyType } from '../../src/model/flags.ts';

export const STATES = [
  'healthy',
  'dead board',
  'still fan',
  'dead pool',
  'asleep',
  'just booted',
  'stopped by heat',
] as const;
export type State = (typeof STATES)[number];

/** One flag: `source` is how its evidence begins, `message` what must stand in it. */
export type Wanted = { readonly type: AnomalyType; readonly source?: string; readonly message?: RegExp };

export type Expected = {
  /** Each of these is raised. */
  readonly flags: readonly Wanted[];
  /** May be raised too, as it follows from the illness: nothing else may. */
  readonly also?: readonly AnomalyType[];
};

const NOT_HASHING: Wanted = { type: 'low_hashrate', message: /at 0 %|does not hash/ };

/** What holds for a machine with several boards and fans that tells their speeds. */
export const USUAL: Readonly<Record<State, Expected>> = {
  healthy: { flags: [] },
  'dead board': { flags: [{ type: 'hashboard', message: /\bhashboard 1\b/ }], also: ['low_hashrate'] },
  'still fan': { flags: [{ type: 'fan', source: 'fans[1].rpm' }] },
  'dead pool': { flags: [{ type: 'pool' }] },
  asleep: { flags: [] },
  'just booted': { flags: [] },
  'stopped by heat': { flags: [NOT_HASHING] },
};

export type Exception = { readonly expected: Expected; readonly reason: string };

const ONE_BOARD: Exception = {
  expected: { flags: [NOT_HASHING], also: ['hashboard'] },
  reason: 'it has one board: without it nothing hashes',
};
const ONE_BOARD_SAID: Exception = {
  expected: { flags: [{ type: 'hashboard', message: /\bhashboard 0\b/ }], also: ['low_hashrate'] },
  reason: 'it has one board, and says what is wrong with it',
};
const ONE_FAN: Exception = { expected: { flags: [{ type: 'fan', source: 'fans[0].rpm' }] }, reason: 'it has one fan' };
const NO_SPEEDS: Exception = { expected: { flags: [] }, reason: 'it reports no speeds of fans' };
const NO_FANS: Exception = { expected: { flags: [] }, reason: 'it has no fans' };
const UNCOUNTED: Exception = {
  expected: { flags: [], also: ['low_hashrate'] },
  reason: 'how many such a machine has is in no table, and it tells those that it has now',
};
const UNTOLD_BOARDS: Exception = {
  expected: { flags: [{ type: 'low_hashrate' }] },
  reason: 'it tells nothing of single boards: the rate of the whole is all that shows it',
};
const ONE_OF_MANY: Exception = {
  expected: { flags: [], also: ['low_hashrate'] },
  reason: 'several machines tell nothing of single boards, and one of eight or more is within what a rate may miss',
};
const NO_POOLS: Exception = { expected: { flags: [] }, reason: 'its pools are behind a login that is never sent' };
const NO_POOL_STATE: Exception = { expected: { flags: [] }, reason: 'it tells no state of its pool' };
const WITH_CODE: Exception = {
  expected: { flags: [{ type: 'temperature', source: 'errors[' }, NOT_HASHING] },
  reason: 'its firmware reports why it stopped',
};

/** By family, or by family and model. */
export const EXCEPTIONS: Readonly<Record<string, Readonly<Partial<Record<State, Exception>>>>> = {
  'antminer-other T15': { 'dead board': UNCOUNTED, 'still fan': UNCOUNTED },
  blackminer: { 'dead board': UNCOUNTED },
  'antminer-b': { 'stopped by heat': WITH_CODE },
  'antminer-c': { 'stopped by heat': WITH_CODE },
  'whatsminer-2': { 'stopped by heat': WITH_CODE },
  'whatsminer-3': { 'stopped by heat': WITH_CODE },
  'avalon-a': { 'stopped by heat': WITH_CODE },
  'avalon-home': { 'dead board': ONE_BOARD, 'stopped by heat': WITH_CODE },
  bitaxe: { 'dead board': ONE_BOARD, 'still fan': ONE_FAN, 'stopped by heat': WITH_CODE },
  nerdaxe: { 'dead board': ONE_BOARD, 'still fan': ONE_FAN, 'stopped by heat': WITH_CODE },
  luckyminer: { 'dead board': ONE_BOARD, 'still fan': ONE_FAN, 'stopped by heat': WITH_CODE },
  auradine: { 'stopped by heat': WITH_CODE },
  proto: { 'stopped by heat': WITH_CODE },
  innosilicon: { 'still fan': NO_SPEEDS, 'stopped by heat': WITH_CODE },
  cgminer: { 'dead board': ONE_BOARD, 'still fan': NO_SPEEDS },
  'elphapex DG1Home': { 'dead board': ONE_BOARD },
  'goldshell KD Box Pro': {
    'dead board': ONE_BOARD_SAID,
  },
  'goldshell Mini Doge': {
    'dead board': ONE_BOARD_SAID,
  },
  'goldshell Byte': { 'still fan': NO_FANS },
  'iceriver KS0': { 'dead board': ONE_BOARD, 'still fan': NO_FANS },
  futurebit: { 'dead board': ONE_BOARD_SAID, 'still fan': ONE_FAN },
  volcminer: {
    'still fan': {
      expected: { flags: [{ type: 'fan', source: 'fans' }] },
      reason: 'it writes 0 for a fan that stands still and for one that is not there',
    },
  },
  'braiins-tcp': {
    asleep: { expected: { flags: [NOT_HASHING] }, reason: 'nothing that it reports tells a pause from a stop' },
  },
  'avalon-rare': { 'stopped by heat': WITH_CODE },
  'avalon-rare Avalon Nano 3s': { 'dead board': ONE_BOARD, 'still fan': ONE_FAN },
  'avalon-old Avalon 741': { 'still fan': ONE_FAN },
  'avalon-old Avalon 841': { 'dead board': ONE_OF_MANY, 'still fan': NO_SPEEDS },
  'avalon-old Avalon 921': { 'dead board': ONE_OF_MANY, 'still fan': NO_SPEEDS },
  'goldshell-page': { 'still fan': UNCOUNTED, 'dead pool': NO_POOLS },
  dragonmint: { 'dead board': UNCOUNTED, 'still fan': NO_SPEEDS },
  'epic-first': { 'dead board': UNCOUNTED, 'still fan': NO_SPEEDS, 'dead pool': NO_POOL_STATE },
  'antminer-rare': { 'dead board': UNCOUNTED, 'still fan': UNCOUNTED },
  'whatsminer-first': { 'dead board': UNCOUNTED, 'still fan': UNCOUNTED },
  'sealminer-shut': {
    'dead board': UNTOLD_BOARDS,
    'still fan': NO_SPEEDS,
    asleep: { expected: { flags: [NOT_HASHING] }, reason: 'none of its pages tells a sleep from a stop' },
  },
  'volcminer-shut': {
    'still fan': {
      expected: { flags: [{ type: 'fan', source: 'fans' }] },
      reason: 'it writes 0 for a fan that stands still and for one that is not there',
    },
  },
  'vnish S19 Pro Hydro': { 'still fan': { ...NO_FANS, reason: 'it is cooled by water' } },
};

/** What the firmware reports when it stops by heat: the value of the farm's fault `vendor-error`. The others report nothing, or it is not known what. */
export const HEAT_CODES: Readonly<Record<string, string | number>> = {
  'antminer-b': 'temp:1',
  'antminer-c': 'temp:1',
  'whatsminer-2': '360',
  'whatsminer-3': '360',
  'avalon-a': 128,
  'avalon-home': 128,
  'avalon-rare': 128,
  innosilicon: '32',
  auradine: 4,
  proto: 'AsicOverHeat',
};

/** Families, or models of them, that nobody can put to sleep, or whose sleep we cannot order. */
export const SLEEPLESS: Readonly<Record<string, string>> = {
  cgminer: 'nobody knows what is behind it',
  hammer: 'it has no sleep',
  blackminer: 'it has no sleep',
  volcminer: 'it has no sleep',
  mskminer: 'it has no sleep that is known',
  innosilicon: 'it has no sleep',
  goldshell: 'its sleep is not known from a recording',
  'antminer-a S9': 'firmware from before 2020 has no modes',
  'antminer-a L3+': 'firmware from before 2020 has no modes',
  'antminer-other D3': 'firmware from before 2020 has no modes',
  'antminer-other E3': 'firmware from before 2020 has no modes',
  'antminer-other T15': 'firmware from before 2020 has no modes',
  'hiveon T9': 'builds for the T9 have none',
  'bitaxe Supra': 'its build has no pause',
  nerdaxe: 'its builds have no pause',
  luckyminer: 'its builds have no pause',
  'avalon-old': 'its series has no sleep that is known',
  'goldshell-page': 'its sleep is not known from a recording',
  dragonmint: 'it has no sleep',
  'epic-first': 'its sleep is not known from a recording',
  'antminer-rare': 'firmware from before 2020 has no modes',
  'volcminer-shut': 'it has no sleep',
  'whatsminer-first': 'it has no sleep that is known',
};

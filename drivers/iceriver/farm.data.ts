// The Icerivers of the farm: what each build calls itself and how it lies about its chips. Atlas section 17.
import type { ModelSpec } from '../_farm/physics.ts';

export type IceriverModel = ModelSpec & {
  /** Names of the mining program and of the web app. */
  readonly softver1: string;
  readonly softver2: string;
  /** Letter of the whole rate; boards are always in G. */
  readonly unit: 'G' | 'T';
  /** What it prints as the ideal rate of a board: the truth, nothing, or that of one chip. */
  readonly ideal: 'board' | 'zero' | 'chip';
  /** Prints every chip as bad while all hash. */
  readonly callsChipsBad: boolean;
  readonly nameplateHs: number | null;
  /** Places for fans; those beyond `fans` read 0. */
  readonly fanPlaces: number;
};

const shared = {
  make: 'Iceriver',
  boards: 3,
  fans: 4,
  fanPlaces: 4,
  chipC: 62,
  fanRpm: 4_200,
  callsChipsBad: false,
  shareDifficulty: 16_384,
} as const;

export const ICERIVER_MODELS: readonly IceriverModel[] = [
  {
    ...shared,
    model: 'KS3M',
    reportedAs: 'KS3M',
    softver1: '5977449_ks3m_miner',
    softver2: '5977449_ks3m_bg',
    chipsPerBoard: 18,
    frequencyMhz: 875,
    hashrateHs: 6.2e12,
    nameplateHs: 6e12,
    powerW: 3_400,
    unit: 'G',
    ideal: 'zero',
    callsChipsBad: true,
  },
  {
    ...shared,
    model: 'KS5L',
    reportedAs: 'KS5L',
    softver1: '6100214_ks5lminer',
    softver2: '6100214_ks5l_bg',
    chipsPerBoard: 18,
    frequencyMhz: 1_000,
    hashrateHs: 12.1e12,
    nameplateHs: 12e12,
    powerW: 3_400,
    unit: 'T',
    ideal: 'board',
  },
  {
    ...shared,
    model: 'AL3',
    reportedAs: '10306',
    softver1: '211_10306_miner',
    softver2: '211_10306_bg',
    chipsPerBoard: 156,
    frequencyMhz: 850,
    hashrateHs: 15.2e12,
    nameplateHs: 15e12,
    powerW: 3_500,
    unit: 'T',
    ideal: 'zero',
  },
  {
    ...shared,
    model: 'KS0',
    reportedAs: 'KS0',
    softver1: '634927_ks0miner',
    softver2: '634927_ks0_bg',
    boards: 1,
    chipsPerBoard: 18,
    fans: 2,
    frequencyMhz: 575,
    hashrateHs: 1.02e11,
    nameplateHs: 1e11,
    powerW: 65,
    unit: 'G',
    ideal: 'chip',
    shareDifficulty: 64,
  },
];

// The small machines of the farm: Bitaxes with an old and a new AxeOS, a NerdAxe and a LuckyMiner. Names and chips follow atlas section 11.
import type { ModelSpec } from '../_farm/physics.ts';

export type AxeosModel = ModelSpec & {
  /** How the farm calls it, and what its page shows. */
  readonly family: 'bitaxe' | 'nerdaxe' | 'luckyminer';
  readonly title: string;
  readonly chip: string;
  readonly boardVersion: string;
  readonly version: string;
  readonly smallCores: number;
  /** Knows `expectedHashrate` and rates of more than a moment, can pause and show itself. */
  readonly isNew: boolean;
  /** Goes on telling its last hashrate after it has stopped by heat. */
  readonly repeatsLastRate: boolean;
  /** Keys that tell the machine by name. */
  readonly names: Readonly<Record<string, string>>;
};

const shared = { boards: 1, fans: 1, fanRpm: 4_200, chipC: 68, shareDifficulty: 1_024 } as const;

/** Cores times MHz are MH/s. */
const cores = (chips: number, smallCores: number, frequencyMhz: number) => ({
  chipsPerBoard: chips,
  smallCores,
  frequencyMhz,
  hashrateHs: chips * smallCores * frequencyMhz * 1e6,
});

export const AXEOS_MODELS: readonly AxeosModel[] = [
  {
    ...shared,
    ...cores(1, 1_276, 490),
    family: 'bitaxe',
    title: 'AxeOS',
    make: 'Bitaxe',
    model: 'Supra',
    reportedAs: 'BM1368',
    chip: 'BM1368',
    boardVersion: '401',
    version: 'v2.4.5',
    powerW: 15,
    isNew: false,
    repeatsLastRate: false,
    names: {},
  },
  {
    ...shared,
    ...cores(1, 2_040, 525),
    family: 'bitaxe',
    title: 'AxeOS',
    make: 'Bitaxe',
    model: 'Gamma',
    reportedAs: 'BM1370',
    chip: 'BM1370',
    boardVersion: '602',
    version: 'v2.14.0',
    powerW: 18,
    isNew: true,
    repeatsLastRate: false,
    names: {},
  },
  {
    ...shared,
    ...cores(4, 2_040, 590),
    family: 'nerdaxe',
    title: 'NerdQAxe++',
    make: 'NerdAxe',
    model: 'NerdQAxe++',
    reportedAs: 'NerdQAxe++',
    chip: 'BM1370',
    boardVersion: '501',
    version: 'v1.0.30',
    powerW: 76,
    isNew: false,
    repeatsLastRate: true,
    names: { deviceModel: 'NerdQAxe++' },
  },
  {
    ...shared,
    ...cores(2, 894, 475),
    family: 'luckyminer',
    title: 'Lucky miner',
    make: 'LuckyMiner',
    model: 'LV07',
    reportedAs: 'LV07',
    chip: 'BM1366',
    boardVersion: '302',
    version: 'v2.3.0',
    powerW: 22,
    isNew: false,
    repeatsLastRate: false,
    names: { minerModel: 'LV07' },
  },
];

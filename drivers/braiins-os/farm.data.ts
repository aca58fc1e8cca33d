// The Antminers of the farm that run Braiins OS, one or two per generation of its API. Versions and names follow atlas section 6.
import type { ModelSpec } from '../_farm/physics.ts';

export type BraiinsModel = ModelSpec & {
  readonly generation: 'rest' | 'graphql' | 'tcp';
  /** The whole version. */
  readonly firmware: string;
  /** What TCP `version` says beside the API. */
  readonly build: Readonly<Record<string, string>>;
  /** Names of the first board: 6 on the S9. */
  readonly firstBoard: 1 | 6;
  /** Whether GraphQL knows serial numbers of boards, inlet and outlet (25.03), and in which words it names its sensors. */
  readonly sensors: readonly [board: string, chip: string, inlet?: string, outlet?: string];
  /** Tuned to a power target; else it runs as it left its maker. */
  readonly isTuned: boolean;
  readonly hasSerial: boolean;
  readonly psu?: string;
  /** Serves its log over REST (26.04). */
  readonly hasLog: boolean;
  /** Its public API over gRPC (from 23.03) is 1.x; x by the date of the build. */
  readonly grpcMinor?: number;
};

const shared = { make: 'Antminer', boards: 3, fanRpm: 5_900 } as const;
const buildroot = { BOSer: 'boser-buildroot 0.1.0-75912fc7' } as const;

export const BRAIINS_MODELS: readonly BraiinsModel[] = [
  {
    ...shared,
    generation: 'rest',
    model: 'S19 XP',
    reportedAs: 'Antminer S19 XP',
    chipsPerBoard: 110,
    fans: 4,
    frequencyMhz: 487,
    hashrateHs: 142e12,
    powerW: 3_030,
    chipC: 70,
    firmware: '2025-08-06-0-3881c51d-25.07-plus',
    build: buildroot,
    firstBoard: 1,
    sensors: ['MAX_BOARD', 'MAX_CHIP', 'INLET', 'OUTLET'],
    isTuned: true,
    hasSerial: false,
    psu: 'APW121215d/e',
    hasLog: false,
    grpcMinor: 6,
  },
  {
    ...shared,
    generation: 'rest',
    model: 'S21',
    reportedAs: 'Antminer S21',
    chipsPerBoard: 108,
    fans: 4,
    frequencyMhz: 490,
    hashrateHs: 200e12,
    powerW: 3_500,
    chipC: 76,
    firmware: '2026-04-02-0-51e0c2aa-26.04-plus',
    build: buildroot,
    firstBoard: 1,
    sensors: ['MAX_BOARD', 'MAX_CHIP', 'INLET', 'OUTLET'],
    isTuned: false,
    hasSerial: true,
    psu: 'APW171215a',
    hasLog: true,
    grpcMinor: 8,
  },
  {
    ...shared,
    generation: 'graphql',
    model: 'S21+',
    reportedAs: 'Antminer S21+',
    chipsPerBoard: 55,
    fans: 4,
    frequencyMhz: 768,
    hashrateHs: 235e12,
    powerW: 3_880,
    chipC: 74,
    firmware: '2025-04-07-0-424f9a7f-25.03-plus',
    build: buildroot,
    firstBoard: 1,
    sensors: ['Max Board', 'Max Chip', 'Inlet', 'Outlet'],
    isTuned: true,
    hasSerial: false,
    hasLog: false,
    grpcMinor: 4,
  },
  {
    ...shared,
    generation: 'graphql',
    model: 'S9',
    reportedAs: 'Antminer S9',
    chipsPerBoard: 63,
    fans: 2,
    frequencyMhz: 420,
    hashrateHs: 9e12,
    powerW: 900,
    chipC: 82,
    firmware: '2022-09-13-0-11012d53-22.08-plus',
    build: { BOSer: 'boser-openwrt 0.1.0-11012d53' },
    firstBoard: 6,
    sensors: ['Board', 'Chip'],
    isTuned: true,
    hasSerial: false,
    hasLog: false,
  },
  {
    ...shared,
    generation: 'tcp',
    model: 'S17',
    reportedAs: 'Antminer S17',
    chipsPerBoard: 48,
    fans: 4,
    frequencyMhz: 600,
    hashrateHs: 53e12,
    powerW: 2_250,
    chipC: 78,
    firmware: '2021-09-27-0-26ba61b9-21.09-plus',
    build: { BOSminer: 'bosminer-plus-am1-s17 0.9.0-1a2b3c4d', 'BOSminer+': '0.9.0-1a2b3c4d' },
    firstBoard: 1,
    sensors: ['Board', 'Chip'],
    isTuned: true,
    hasSerial: false,
    hasLog: false,
  },
];

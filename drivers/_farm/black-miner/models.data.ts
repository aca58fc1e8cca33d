// What the machines share whose web calls itself blackMiner: Hammer and VolcMiner.
import type { ModelSpec } from '../physics.ts';

export type BlackMinerModel = ModelSpec & {
  readonly driver: 'hammer' | 'volcminer';
  readonly password: string;
  /** Port of the CGMiner API; absent = shut. */
  readonly apiPort?: 4028 | 8359;
  readonly api: string;
  readonly minerVersion: string;
  readonly compileTime: string;
  /** `system_filesystem_version`. */
  readonly fileSystem: string;
  readonly kernel: string;
  /** Sometimes its status page is not quite JSON. */
  readonly isSloppy: boolean;
};

export const BLACK_MINER = {
  boards: 3,
  fans: 4,
  hashesPerDifficulty: 65_536,
  api: '3.1',
  minerVersion: '2.0.2.2',
  isSloppy: false,
} as const;

export const BLACK_MINER_REALM = 'blackMiner Configuration';

// How devices of this driver are recognised. Hammer and Blackminer: by their names, or by the web that a VolcMiner has
// too. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';
import { BLACK_MINER } from '../_dialects/black-miner.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'hammer', tcp: [{ words: ['"HAMMER ', '"BLACKMINER '], in: 'version' }] },
  BLACK_MINER,
];

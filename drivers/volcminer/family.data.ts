// How devices of this driver are recognised. VolcMiner: by its own name, or by the web that a Hammer has too. Atlas
// sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';
import { BLACK_MINER } from '../_dialects/black-miner.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'volcminer', tcp: [{ words: ['VOLCMINER'] }], startPages: [{ body: 'VolcMiner' }] },
  BLACK_MINER,
];

// How devices of this driver are recognised. VolcMiner: by its own name. Its login challenge is that of a Hammer.
// Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'volcminer', tcp: [{ words: ['VOLCMINER'] }], startPages: [{ body: 'VolcMiner' }] },
];

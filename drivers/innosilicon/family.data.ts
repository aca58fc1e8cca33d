// How devices of this driver are recognised. Innosilicon: by its mining program, or by the page of its first machine,
// the DragonMint. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'innosilicon', tcp: [{ words: ['INNOMINER'] }], startPages: [{ body: 'DragonMint' }] },
];

// How a device shows that it is of this family: Innosilicon, whose first machine was the DragonMint. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'innosilicon', tcp: [{ words: ['INNOMINER'] }], startPages: [{ body: 'DragonMint' }] },
];

// How devices of this driver are recognised. Avalon: by its name, on TCP or on its start page. Atlas sections 2.2,
// 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'avalon', tcp: [{ words: ['AVALON'] }], startPages: [{ body: 'Avalon' }] },
];

// How a device shows that it is of this family: Auradine. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'auradine-fluxos', tcp: [{ words: ['GCMINER', 'FLUXOS'] }], startPages: [{ body: 'Miner UI' }] },
];

// How a device shows that it is of this family.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'blueprint',
    // A name in a whole answer to `version` is a proof; what the start page holds is a hint.
    tcp: [{ words: ['EXAMPLE ONE'] }],
    startPages: [{ body: '<title>Example One' }],
  },
];

// How devices of this driver are recognised. MARA: by its own words. Its page keeps the realm of stock firmware. Atlas
// sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'mara',
    isThirdParty: true,
    tcp: [{ words: ['MARAFW', 'KAONSU'] }],
    startPages: [{ status: 401, realm: 'antMiner', body: 'kaonsu' }],
  },
];

// How a device shows that it is of this family: MARA, whose page keeps the realm of stock firmware. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'mara',
    isThirdParty: true,
    tcp: [{ words: ['MARAFW', 'KAONSU'] }],
    startPages: [{ status: 401, realm: 'antMiner', body: 'kaonsu' }],
  },
];

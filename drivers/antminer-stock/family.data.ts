// How a device shows that it is of this family: Stock firmware of Antminers. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'antminer-stock',
    livesOn: true,
    tcp: [{ words: ['ANTMINER'], in: 'version' }],
    startPages: [{ status: 401, realm: 'antMiner' }],
    realms: [{ realm: 'antMiner Configuration', server: /^lighttpd\// }],
  },
];

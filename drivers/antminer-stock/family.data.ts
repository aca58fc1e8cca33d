// How devices of this driver are recognised. Stock firmware of Antminers: by its name in `version` or the realm of its
// login. Atlas sections 2.2, 2.3.
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

// How a device shows that it is of this family: Hammer and Blackminer. The login challenge is the same at a VolcMiner: other answers show which of the two. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'hammer',
    hasSidePort: true,
    tcp: [{ words: ['"HAMMER ', '"BLACKMINER '], in: 'version' }],
    startPages: [{ status: 401, realm: 'blackMiner' }],
    realms: [{ realm: 'blackMiner Configuration', server: /^lighttpd\// }],
  },
];

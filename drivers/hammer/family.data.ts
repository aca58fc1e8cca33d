// How devices of this driver are recognised. Hammer and Blackminer: by their names. Their login challenge is also that
// of a VolcMiner: other answers show which it is. Atlas sections 2.2, 2.3.
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

// How devices of this driver are recognised. MSKMiner: by its mining program. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [{ id: 'mskminer', isThirdParty: true, tcp: [{ words: ['RWGLR'] }] }];

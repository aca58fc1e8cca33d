// How a device shows that it is of this family: MSKMiner, by the name of its mining program. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [{ id: 'mskminer', isThirdParty: true, tcp: [{ words: ['RWGLR'] }] }];

// How a device shows that it is of this family: Hiveon. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [{ id: 'hiveon', isThirdParty: true, tcp: [{ words: ['HIVEON'] }] }];

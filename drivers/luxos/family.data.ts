// How devices of this driver are recognised. LuxOS: by its mining program or its start page. Atlas sections 2.2, 2.3.
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'luxos', isThirdParty: true, tcp: [{ words: ['LUXMINER'] }], startPages: [{ body: 'Luxor Firmware' }] },
];

// How devices of this driver are recognised. Elphapex: by its login challenge. Atlas sections 2.2, 2.3.
import type { Family, IpReportForm } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'elphapex',
    startPages: [{ status: 401, realm: 'Daoge' }],
    realms: [{ realm: 'Daoge Configuration', server: /^lighttpd\// }],
  },
];

export const IP_REPORT: IpReportForm = { port: 9_999, words: /^DG_IPREPORT_ONLY$/ };

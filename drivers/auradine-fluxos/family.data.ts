// How devices of this driver are recognised. Auradine: by its mining program or its start page. Atlas sections 2.2,
// 2.3.
import { z } from 'zod';
import type { Family, IpReportForm } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'auradine-fluxos', tcp: [{ words: ['GCMINER', 'FLUXOS'] }], startPages: [{ body: 'Miner UI' }] },
];

/** Devices of another maker send JSON to this port, too. */
export const IP_REPORT: IpReportForm = {
  port: 12_345,
  fields: z.object({ ip: z.string(), mac: z.string(), SerialNo: z.string() }),
};

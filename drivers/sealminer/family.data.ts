// How devices of this driver are recognised. Sealminer: by its mining program or its start page. Atlas sections 2.2,
// 2.3.
import type { Family, IpReportForm } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'sealminer', tcp: [{ words: ['BDMINER'] }], startPages: [{ body: 'amazeui' }] },
];

export const IP_REPORT: IpReportForm = { port: 18_650, isPacked: true };

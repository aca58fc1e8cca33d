// How a device shows that it is of this family: Sealminer. Atlas sections 2.2, 2.3.
import type { Family, IpReportForm } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'sealminer', tcp: [{ words: ['BDMINER'] }], startPages: [{ body: 'amazeui' }] },
];

export const IP_REPORT: IpReportForm = { port: 18_650, isPacked: true };

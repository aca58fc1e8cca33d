// Which devices are of this driver, and how they are recognised. Sealminer: by its mining program or its start page.
// Atlas sections 2.2, 2.3.
import type { Driver } from '../../src/driver/contract.ts';
import type { Family, IpReportForm } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'sealminer', tcp: [{ words: ['BDMINER'] }], startPages: [{ body: 'amazeui' }] },
];

export const IP_REPORT: IpReportForm = { port: 18_650, isPacked: true };

export const COVERS: Driver['covers'] = [
  { models: 'Sealminer A2', firmware: 'stock, from 2025 on', evidence: 'simulated' },
  { models: 'Sealminer A1, A2 Pro, A3 and others', firmware: 'stock with BDMiner', evidence: 'claimed' },
];

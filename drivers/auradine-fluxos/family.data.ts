// Which devices are of this driver, and how they are recognised. Auradine: by its mining program or its start page.
// Atlas sections 2.2, 2.3.
import { z } from 'zod';
import type { Driver } from '../../src/driver/contract.ts';
import type { Family, IpReportForm } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  { id: 'auradine-fluxos', tcp: [{ words: ['GCMINER', 'FLUXOS'] }], startPages: [{ body: 'Miner UI' }] },
];

/** Devices of another maker send JSON to this port, too. */
export const IP_REPORT: IpReportForm = {
  port: 12_345,
  fields: z.object({ ip: z.string(), mac: z.string(), SerialNo: z.string() }),
};

export const COVERS: Driver['covers'] = [
  { models: 'Teraflux AT1500', firmware: 'FluxOS 2023-12.27', evidence: 'recording' },
  { models: 'Teraflux AT2880', firmware: 'FluxOS 2024', evidence: 'simulated' },
  { models: 'Teraflux AI, AD, AH and AT families', firmware: 'any FluxOS', evidence: 'claimed' },
];

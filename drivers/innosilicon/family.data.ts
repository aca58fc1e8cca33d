// Which devices this driver is for, and how they are recognised. Innosilicon: by its mining program, or by the page of
// its first machine, the DragonMint. Atlas sections 2.2, 2.3.
import type { Cover } from '../../src/driver/contract.ts';
import type { Family } from '../../src/driver/recognition.ts';

export const COVERS: readonly Cover[] = [
  { models: 'Innosilicon T3H+, A11', firmware: 'stock with /api/getAll', evidence: 'simulated' },
  { models: 'Innosilicon T3, A10, A10X, A11MX and others', firmware: 'stock with /api', evidence: 'claimed' },
  { models: 'Dragonmint T1', firmware: 'stock with /api/summary', evidence: 'claimed' },
];

export const FAMILIES: readonly Family[] = [
  { id: 'innosilicon', tcp: [{ words: ['INNOMINER'] }], startPages: [{ body: 'DragonMint' }] },
];

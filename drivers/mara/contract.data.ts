// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';

export const contract = {
  lacks: {
    firmware: 'no way is known',
    password: 'what its call wants is not known',
  },
  families: {
    mara: {
      showsDeadPool: true,
      isBitmain: true,
      provenBy: { web: 'antminer-stock' },
      requests: {
        mean: 4.2,
        target: 4,
      },
    },
  },
  mutants: [],
} satisfies ContractData;

// One miner as the service answers it.
import type { z } from 'zod';
import type { oneMinerSchema } from '../../../wire/api/farm/memory.ts';

export type MinerDetail = z.infer<typeof oneMinerSchema>;

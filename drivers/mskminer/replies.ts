// What MSKMiner answers, as far as we read it (atlas 16).
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { field, toText } from '../../src/driver/fields.ts';
import { statsReply } from '../_dialects/bitmain.ts';
import { poolsReply, versionReply } from '../_dialects/cgminer.ts';

const networkInfo = z.looseObject({ macaddr: field((value) => toText(value, 128)) });

export const replies = z.object({
  stats: reply(statsReply),
  pools: reply(poolsReply),
  version: reply(versionReply),
  info: reply(z.looseObject({ network_info: z.looseObject({ result: networkInfo }) })),
});
export type Replies = z.output<typeof replies>;

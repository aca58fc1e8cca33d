// The answers that most CGMiner relatives share. Rows stay open: what an unknown device adds is looked through, not
// refused.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { list } from '../../src/driver/fields.ts';
import { statsReply } from '../_dialects/bitmain.ts';
import { devsReply, poolsReply, summaryReply } from '../_dialects/cgminer.ts';

const anyRow = z.record(z.string(), z.unknown());

export const replies = z.object({
  version: reply(z.looseObject({ VERSION: list(anyRow, 4) })),
  summary: reply(summaryReply),
  // A miner without devices answers with an error: it is then refused, and nothing else is lost.
  devs: reply(devsReply),
  stats: reply(z.looseObject({ ...statsReply.shape, STATS: list(anyRow, 64) })),
  pools: reply(poolsReply),
});
export type Replies = z.output<typeof replies>;

// What Hammer miners answer, as far as we read it (atlas 22).
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { statsReply } from '../_dialects/bitmain.ts';
import { blinkPage, modePage, systemReply } from '../_dialects/bitmain-schemas.ts';
import { poolsReply, versionReply } from '../_dialects/cgminer.ts';

export const replies = z.object({
  stats: reply(statsReply),
  pools: reply(poolsReply),
  version: reply(versionReply),
  statsElsewhere: reply(statsReply),
  poolsElsewhere: reply(poolsReply),
  versionElsewhere: reply(versionReply),
  blink: reply(blinkPage),
  conf: reply(modePage),
  system: reply(systemReply),
});
export type Replies = z.output<typeof replies>;

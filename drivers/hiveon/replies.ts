// What Hiveon firmware answers, as far as we read it (atlas 15).
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { statsReply } from '../_dialects/bitmain.ts';
import { blinkState } from '../_dialects/bitmain-forms.ts';
import { blinkPage, modePage, summaryPage, systemReply } from '../_dialects/bitmain-schemas.ts';
import { poolsReply, versionReply } from '../_dialects/cgminer.ts';

export const replies = z.object({
  stats: reply(statsReply),
  pools: reply(poolsReply),
  version: reply(versionReply),
  summary: reply(summaryPage),
  conf: reply(modePage),
  blink: reply(blinkPage),
  blinkForm: reply(blinkState),
  system: reply(systemReply),
});
export type Replies = z.output<typeof replies>;

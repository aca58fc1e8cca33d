// What stock Antminers answer, as far as we read it (atlas 3.2, 3.3).
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { text } from '../../src/driver/fields.ts';
import { statsReply, toWatts } from '../_dialects/bitmain.ts';
import { blinkState } from '../_dialects/bitmain-forms.ts';
import { blinkPage, modePage, poolsPage, summaryPage, systemReply } from '../_dialects/bitmain-schemas.ts';
import { poolsReply, versionReply } from '../_dialects/cgminer.ts';

/** `miner_power: 3250`: nothing but a name, a colon and the figure, so that no error page is taken for one. */
const WATTS = /^[^<:]{0,40}:\s*"?(\d+(?:\.\d+)?)\s*W?"?\s*\}?\s*$/i;

export const replies = z.object({
  stats: reply(statsReply),
  pools: reply(poolsReply),
  version: reply(versionReply),
  statsPage: reply(statsReply),
  poolsPage: reply(poolsPage),
  summary: reply(summaryPage),
  conf: reply(modePage),
  blink: reply(blinkPage),
  oldBlink: reply(blinkPage),
  oldBlinkForm: reply(blinkState),
  system: reply(systemReply),
  minerType: reply(z.looseObject({ miner_type: text(), subtype: text() })),
  warning: reply(z.string().transform((answer) => answer.match(/"error_message"\s*:\s*"([^"]{0,128})/)?.[1])),
  power: reply(z.string().transform((answer) => toWatts(answer.match(WATTS)?.[1]))),
});
export type Replies = z.output<typeof replies>;

// What a VolcMiner is asked: the pages of the older builds, and where the web is shut, or lets us not in, the CGMiner
// API, which tells nearly as much. The pages of newer builds need a look inside.
import * as kit from '../../src/driver/kit/index.ts';
import { PAGES } from '../_dialects/bitmain-reading.ts';
import { page } from '../_dialects/bitmain-web.ts';

export const PORT = { port: 8359 } as const;

export const ASKS = {
  status: { every: 'poll', ...page('get_miner_status.cgi') },
  system: PAGES.system,
  stats: { every: 'poll', insteadOf: 'status', ...kit.tcp('stats'), ...PORT },
  summary: { every: 'poll', insteadOf: 'status', ...kit.tcp('summary'), ...PORT },
  pools: { every: 'poll', insteadOf: 'status', ...kit.tcp('pools'), ...PORT },
  version: { every: 'static', insteadOf: 'system', ...kit.tcp('version'), ...PORT },
} as const satisfies Readonly<Record<string, kit.Question>>;

// What an Innosilicon is asked, but for the two questions whose answers need a look inside.
import * as kit from '../../src/driver/kit/index.ts';
import { call } from './abilities.ts';

export const ASKS = {
  summary: { every: 'poll', insteadOf: 'all', ...kit.tcp('summary'), needs: 'SUMMARY' },
  devs: { every: 'poll', insteadOf: 'all', ...kit.tcp('devs'), needs: 'DEVS' },
  // The same as the web has it: all that a build without getAll and with TCP closed tells of its boards.
  webDevs: { every: 'poll', insteadOf: 'devs', ...call('summary'), needs: 'DEVS' },
  stats: { every: 'poll', ...kit.tcp('stats'), needs: 'STATS' },
  pools: { every: 'slow', ...kit.tcp('pools'), needs: 'POOLS' },
  webPools: { every: 'slow', insteadOf: 'pools', ...call('summary'), needs: 'POOLS' },
  overview: { every: 'static', ...call('overview') },
  type: { every: 'static', ...call('type') },
  version: { every: 'static', ...kit.tcp('version') },
} as const satisfies Readonly<Record<string, kit.Question>>;

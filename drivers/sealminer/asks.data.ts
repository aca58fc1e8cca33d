// What a Sealminer is asked, and how often (atlas 13).
import * as kit from '../../src/driver/kit/index.ts';
import { page } from './abilities.ts';

export const ASKS = {
  stats: { every: 'poll', ...kit.tcp('stats') },
  status: { every: 'poll', insteadOf: 'stats', ...page('miner-status'), needs: ['summary', 'pools'] },
  pools: { every: 'slow', ...kit.tcp('pools') },
  system: { every: 'slow', ...page('get_system_info') },
  version: { every: 'static', ...kit.tcp('version') },
} as const;

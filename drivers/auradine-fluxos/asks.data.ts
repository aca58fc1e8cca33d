// What an Auradine machine is asked on TCP 4028 and on its web API, and how often (atlas 10).
import * as kit from '../../src/driver/kit/index.ts';
import { resource } from './abilities.ts';

export const ASKS = {
  summary: { every: 'poll', ...kit.tcp('summary'), needs: 'SUMMARY' },
  devs: { every: 'poll', ...kit.tcp('devs'), needs: 'DEVS' },
  temperature: { every: 'poll', ...resource('temperature'), needs: 'Temperature' },
  fan: { every: 'poll', ...resource('fan'), needs: 'Fan' },
  psu: { every: 'poll', ...resource('psu'), needs: 'PSU' },
  pools: { every: 'slow', ...kit.tcp('pools'), needs: 'POOLS' },
  mode: { every: 'slow', ...resource('mode'), needs: kit.hasRow('Mode') },
  led: { every: 'slow', ...resource('led'), needs: kit.hasRow('LED') },
  frequency: { every: 'slow', ...resource('frequency') },
  asccount: { every: 'slow', ...kit.tcp('asccount') },
  ipreport: { every: 'static', ...resource('ipreport'), needs: kit.hasRow('IPReport') },
  version: { every: 'static', ...kit.tcp('version'), needs: kit.hasRow('VERSION') },
} as const;

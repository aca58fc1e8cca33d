// Proto rig (Proto OS): a REST API on port 80 behind the password of its owner (atlas 12).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities, locked, path } from './abilities.ts';
import { COVERS, FAMILIES } from './family.data.ts';
import { read } from './read.ts';

export const proto = kit.defineDriver({
  id: 'proto',
  make: 'Proto',
  families: FAMILIES,
  covers: COVERS,
  asks: {
    mining: { every: 'poll', ...locked('mining'), needs: kit.hasPart('mining-status') },
    telemetry: {
      ...{ every: 'poll', ...locked('telemetry?level=miner,hashboard,psu,asic') },
      needs: ['miner', 'hashboards'],
    },
    cooling: { every: 'poll', ...locked('cooling'), needs: kit.hasPart('cooling-status') },
    pools: { every: 'slow', ...locked('pools'), needs: 'pools' },
    errors: { every: 'slow', ...locked('errors'), needs: (errors) => errors.rows() !== undefined },
    target: {
      ...{ every: 'slow', ...locked('mining/target') },
      needs: (target) => target.has('power_target_watts') || target.has('performance_mode'),
    },
    system: { every: 'static', ...kit.get(path('system')), needs: kit.hasPart('system-info') },
    network: { every: 'static', ...kit.get(path('network')), needs: kit.hasPart('network-info') },
    hardware: { every: 'static', ...kit.get(path('hardware')), needs: kit.hasPart('hardware-info') },
  },
  abilities,
  /** There is no factory password: the owner sets one. */
  login: { kind: 'session' },
  quirks: { warmUpS: 300 },
  read,
});

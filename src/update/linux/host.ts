// The host of an update on Linux: systemd, a trial start of the program, copies of the databases with the agent's
// rights.
import { orderUnit, showUnit } from '../../base/platform/service-manager.ts';
import type { UpdateHost } from '../install/healthy.ts';
import { tryNewProgram } from '../install/try-program.ts';
import { UNIT } from './units.ts';

export function createSystemdHost(isServing: UpdateHost['isServing']): UpdateHost {
  return {
    async start() {
      // Earlier failures would count against the next start; there may be none.
      await orderUnit('reset-failed', UNIT).catch(() => {});
      await orderUnit('start', '--no-block', UNIT);
    },
    stop: () => orderUnit('stop', UNIT),
    async unit() {
      const shown = await showUnit(UNIT, ['ActiveState', 'SubState', 'NRestarts', 'MainPID']);
      const text = (name: string) => shown.get(name) ?? '';
      const [restarts, pid] = [Number(text('NRestarts')), Number(text('MainPID'))];
      return { active: text('ActiveState'), sub: text('SubState'), restarts, pid };
    },
    isServing,
    tryProgram: tryNewProgram,
    saveDatabases: () => orderUnit('start', 'pithead-databases@save.service'),
    restoreDatabases: () => orderUnit('start', 'pithead-databases@restore.service'),
  };
}

/** At boot the service manager starts what is there by itself, after this: nothing is to be started or stopped. */
export const createBootHost = (): UpdateHost => ({
  ...createSystemdHost(async () => undefined),
  start: async () => {},
  stop: async () => {},
  unit: async () => ({ active: 'active', sub: 'running', restarts: 0, pid: 0 }),
});

// The host of an update as it is on Linux: systemd, the service's own interface, the new program tried by itself.
import { type AgentConfig, loadConfig } from '../../agent/config/config.ts';
import { orderUnit, showUnit } from '../../base/platform/service-manager.ts';
import type { UpdateHost } from '../../update/install/host.ts';
import { tryNewProgram } from '../../update/install/try-program.ts';
import { UNIT } from '../../update/linux/units.ts';
import { ownUrl, readyStatus } from '../run/local-service.ts';
import { usualConfig } from '../setup/config-file.ts';

const ANSWER_MS = 2_000;

type Environment = Readonly<Record<string, string | undefined>>;

export function createUpdateHost(environment: Environment): UpdateHost {
  return {
    async start() {
      // Earlier failures would count against the next start; there may be none.
      await orderUnit('reset-failed', UNIT).catch(() => {});
      await orderUnit('start', '--no-block', UNIT);
    },
    stop: () => orderUnit('stop', UNIT),
    async unit() {
      const shown = await showUnit(UNIT, ['ActiveState', 'SubState', 'NRestarts', 'MainPID']);
      const number = (name: string) => Number(shown.get(name) ?? 0);
      return {
        active: shown.get('ActiveState') ?? '',
        sub: shown.get('SubState') ?? '',
        restarts: number('NRestarts'),
        pid: number('MainPID'),
      };
    },
    isServing: () => isServing(installedConfig(environment)),
    tryProgram: tryNewProgram,
    saveDatabases: () => orderUnit('start', 'pithead-databases@save.service'),
    restoreDatabases: () => orderUnit('start', 'pithead-databases@restore.service'),
  };
}

/** At boot the service manager starts what is there by itself, after this: nothing is to be started or stopped. */
export function createBootHost(environment: Environment): UpdateHost {
  const running = { active: 'active', sub: 'running', restarts: 0, pid: 0 };
  return {
    ...createUpdateHost(environment),
    start: async () => {},
    stop: async () => {},
    unit: async () => running,
    isServing: async () => undefined,
  };
}

/** Whether the own service of this configuration can take requests; undefined where the agent runs alone. */
export async function isServing(config: AgentConfig | undefined): Promise<boolean | undefined> {
  if (config === undefined || (config.service !== undefined && !config.service.keepLocal)) return undefined;
  return (await readyStatus(ownUrl(config.listen), ANSWER_MS)) === 200;
}

/** Undefined when it cannot be read: what the service makes of it is seen by whether it starts. */
export function installedConfig(environment: Environment): AgentConfig | undefined {
  const path = usualConfig(environment);
  if (path === undefined) return undefined;
  try {
    return loadConfig(path, environment);
  } catch {
    return undefined;
  }
}

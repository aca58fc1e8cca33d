// The modules of an agent as `agent.ts` builds them, on a simulated farm, with nothing started: what the tests of the
// control handlers are driven with.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Farm, startFarm } from '../../../../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../../../../fixtures/farm/ports.ts';
import { createModules } from '../../../../../src/agent/agent.ts';
import { parseConfig } from '../../../../../src/agent/config/config.ts';
import { createControlHandlers, type Reloaded } from '../../../../../src/agent/control/control-handlers.ts';
import { systemClock } from '../../../../../src/base/clock.ts';
import { silentLog } from '../../../../../src/base/log.ts';

type Modules = ReturnType<typeof createModules>;

export type AgentModules = {
  readonly modules: Modules;
  readonly farm: Farm;
  /** The handlers that callers at the control socket reach. */
  handlers(reload?: () => Reloaded): ReturnType<typeof createControlHandlers>;
  stop(): Promise<void>;
};

/** `settings` go into the configuration file, beside the state directory and the ports of the farm. */
export async function startModules(
  { network, miners, mix }: { readonly network: string; readonly miners: number; readonly mix: string },
  settings: object = {},
): Promise<AgentModules> {
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-handlers-'));
  const portMap = await suitablePortMap();
  const farm = await startFarm({ network, miners, mix, seed: 5, bootS: 1, portMap });
  const text = JSON.stringify({ stateDir, portMap, networks: [network], scan: { ipReports: false }, ...settings });
  const config = parseConfig(text, { baseDir: stateDir, environment: { XDG_CONFIG_HOME: stateDir }, name: 'test' });
  const modules = createModules({ config, uplinks: [], clock: systemClock, log: silentLog });
  const { poller, registry, outages, clockWatch, trust, outbox } = modules;
  return {
    modules,
    farm,
    handlers: (reload) =>
      createControlHandlers({
        ...modules,
        driversTaken: modules.driversInUse.taken,
        ...{ reload, askService: undefined, newId: randomUUID, trust: trust.state, uplinks: () => [] },
        pollNow: (key) => poller.pollNow(key),
        poolFacts: () => undefined,
        outbox: () => outbox.state(),
        polls: () => poller.stats(),
        setAside: () => poller.setAside(),
        suspects: () => registry.suspects(),
        outages: () => outages.current(),
        clockSteps: () => clockWatch.recent(),
      }),
    async stop() {
      modules.stopping.abort();
      await modules.tasks.stop();
      await modules.scanning.scanner.stop();
      await modules.client.close();
      trust.close();
      await outbox.close();
      modules.db.close();
      await farm.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

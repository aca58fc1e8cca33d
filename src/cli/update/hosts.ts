// The host of an update, with the sources only the command line has: the control socket, the service's interface, the
// configuration.
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { type AgentConfig, driverSettingsIn, loadConfig, stateDirOf } from '../../agent/config/config.ts';
import { findRunningAgent } from '../../agent/control/control-client.ts';
import { beginNewEpochs } from '../../agent/outbox/storage/epoch-reset.ts';
import { tryProgram } from '../../base/platform/service-manager.ts';
import { candidateIds } from '../../driver/load/candidates.ts';
import { restoreDatabases, saveDatabases } from '../../update/install/database-copies.ts';
import type { UpdateHost } from '../../update/install/healthy.ts';
import type { Places } from '../../update/install/layout.ts';
import { createBootHost, createSystemdHost } from '../../update/linux/host.ts';
import { askServiceHost, createWindowsHost } from '../../update/windows/host.ts';
import type { CliContext } from '../output/terminal.ts';
import { askReadiness, databaseOf, EMBEDDED, ownUrl } from '../run/local-service.ts';
import { DEFAULT_CONFIG, systemFolder, usualConfig } from '../setup/config-file.ts';

const ANSWER_MS = 2_000;

type Environment = CliContext['environment'];

/** `isBoot` = the service manager starts the service by itself. */
export function createHost(places: Places, isBoot: boolean, { environment }: CliContext): UpdateHost {
  const serving = () => isServing(installedConfig(environment));
  const refusedDrivers = (path: string) => askForDrivers(path, environment);
  if (places.system === 'linux') return isBoot ? createBootHost() : { ...createSystemdHost(serving), refusedDrivers };
  const stateDir = () => installedConfig(environment)?.stateDir ?? join(systemFolder(environment), 'state');
  return createWindowsHost(places, askServiceHost(), {
    refusedDrivers,
    isServing: serving,
    runningVersion: () => versionAt(stateDir()),
    saveDatabases: async () => void saveDatabases(stateDir()),
    restoreDatabases: async () => void restoreCopies(stateDir()),
  });
}

const DRIVERS_MS = 120_000;
const refusedSchema = z.object({ refused: z.array(z.object({ origin: z.string(), reason: z.string() })) });

/** Asks the program, with the rights of the service: what lies in the folder runs as it does there. */
async function askForDrivers(program: string, environment: Environment) {
  const path = join(systemFolder(environment), DEFAULT_CONFIG);
  if (!existsSync(path) || namesNoDriver(path)) return [];
  const user = process.platform === 'win32' ? undefined : ownerOf(stateDirOf(path));
  const answer = await tryProgram(program, ['update-drivers', path], DRIVERS_MS, user);
  return refusedSchema.parse(JSON.parse(answer)).refused;
}

/** Whose service it is. Throws where there is none: no driver file runs with more rights than that. */
function ownerOf(stateDir: string): { readonly uid: number; readonly gid: number } {
  const { uid, gid } = statSync(stateDir);
  return { uid, gid };
}

function namesNoDriver(path: string): boolean {
  const { driversDir } = driverSettingsIn(path);
  return candidateIds(driversDir).length === 0;
}

/** Whether the own service of this configuration can take requests; undefined where the agent runs alone. */
async function isServing(config: AgentConfig | undefined): Promise<boolean | undefined> {
  if (config === undefined || (config.service !== undefined && !config.service.keepLocal)) return undefined;
  return (await askReadiness(ownUrl(config.listen), ANSWER_MS))?.status === 200;
}

/** Undefined when it cannot be read: what the service makes of it is seen by whether it starts. */
function installedConfig(environment: Environment): AgentConfig | undefined {
  const path = usualConfig(environment);
  try {
    return path === undefined ? undefined : loadConfig(path, environment);
  } catch {
    return undefined;
  }
}

async function versionAt(stateDir: string): Promise<string | undefined> {
  const found = await findRunningAgent(stateDir).catch(() => undefined);
  if (found?.kind !== 'running') return undefined;
  try {
    return await found.agent.version();
  } catch {
    return undefined;
  } finally {
    await found.agent.close();
  }
}

/**
 * Restores the copies from before an update, and tells the agent about it. Returns the names of the restored databases.
 */
export function restoreCopies(stateDir: string): readonly string[] {
  const restored = restoreDatabases(stateDir);
  // The farm's own service was put back to the same moment and agrees; the company's was not.
  const inStep = restored.includes(basename(databaseOf(stateDir))) ? [EMBEDDED] : [];
  for (const name of restored) beginNewEpochs(join(stateDir, name), inStep);
  return restored;
}

// Agent and service in one process, for `up` and `demo`: the service on its embedded database, the agent enrolled
// automatically.
import { hostname } from 'node:os';
import { type Agent, createAgent } from '../../agent/agent.ts';
import type { AgentConfig } from '../../agent/config/config.ts';
import { mustBeAlone } from '../../agent/control/control-client.ts';
import type { Reloaded } from '../../agent/control/control-handlers.ts';
import { type Credentials, enrolOnce, loadCredentials } from '../../agent/uplink/enrolment/credentials.ts';
import type { UplinkConfig } from '../../agent/uplink/service-link.ts';
import { pinOf } from '../../agent/uplink/signatures/key-pin.ts';
import { systemClock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { VERSION } from '../../base/version.ts';
import { MOST_MAX_MINERS } from '../../model/grant.ts';
import { createService } from '../../service/service.ts';
import { prepareStateDir } from '../setup/config-file.ts';
import { EMBEDDED, serviceOptions } from './local-service.ts';
import { companyUplink } from './remote-service.ts';
import { shownService } from './service-state.ts';

export type Stack = Awaited<ReturnType<typeof startStack>>;

const CODE_TTL_MS = 60_000;

type StackOptions = Parameters<typeof serviceOptions>[1] & {
  config: AgentConfig;
  /** Instead of what this host's kernel knows of its neighbours: loopback has none. */
  neighbours?: Parameters<typeof createAgent>[0]['neighbours'];
  /** Reads the configuration anew for those who ask the agent to. Throws ConfigError. */
  reload?(agent: Agent): Reloaded;
};

/** Throws RefusedError where an agent runs on this state already. */
export async function startStack(options: StackOptions) {
  const { config } = options;
  prepareStateDir(config.stateDir);
  const release = await mustBeAlone(config.stateDir);
  try {
    const stack = await startAlone(options);
    return { ...stack, stop: () => stack.stop().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function startAlone(options: StackOptions) {
  const { config, log, reload, neighbours } = options;
  const { stateDir, name } = config;
  const { keyFile } = config.credentials;
  const service = await createService(serviceOptions(config, options));
  const { url, localUrl } = await service.start();
  const enrolEmbedded = async (farmId: string) => {
    const { code } = await service.admin.createEnrolmentCode({
      farmId,
      ttlMs: CODE_TTL_MS,
      maxMiners: grantOf(config),
    });
    return enrolOnce({ stateDir, keyFile, realm: EMBEDDED, url: localUrl, code, name, allowPlain: true });
  };
  try {
    const kept = loadCredentials(stateDir, EMBEDDED, keyFile);
    const { workspaceId, farmId } = await service.admin.ensureDefaults(kept);
    if (kept !== undefined) await readmit(service, kept, { farmId, name, log, maxMiners: grantOf(config) });
    const credentials = kept === undefined ? await enrolEmbedded(farmId) : { ...kept, url: localUrl };
    const grant = (next: AgentConfig) =>
      service.admin.limitAgent(credentials.agentId, grantOf(next), { isLeast: true });
    await grant(config);
    // Its own service is asked, whatever was learnt of it before.
    const pin = pinOf(await service.admin.taskKey());
    const own: UplinkConfig = { name: EMBEDDED, ...credentials, pin };
    const agent: Agent = createAgent({
      config,
      uplinks: [own, ...(await others(config, log))],
      clock: systemClock,
      log,
      ownService: () => shownService(config, options.database, service),
      askService: service.local.request,
      otherFigures: service.figures,
      ...(neighbours && { neighbours }),
      ...(reload && { reload: () => reload(agent) }),
    });
    await agent.start();
    return {
      ...{ url, workspaceId, farmId, agent, service },
      /** The addresses of this configuration count from now on. */
      grantFor(next: AgentConfig): void {
        grant(next).catch((error: unknown) =>
          log.error({ cause: renderError(error) }, 'grant the own agent its miners'),
        );
      },
      async stop() {
        await agent.stop();
        await service.stop();
      },
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/**
 * An address may belong to another miner after a while: at most two miners per configured address, and never less than
 * a few.
 */
const grantOf = ({ ranges }: AgentConfig): number =>
  Math.min(MOST_MAX_MINERS, Math.max(LEAST_GRANT, 2 * ranges.toProbe));
const LEAST_GRANT = 100;

type Service = Awaited<ReturnType<typeof createService>>;

/** A database that began anew, or was put back, may not know the agent of its own process: it stays who it is. */
async function readmit(
  { admin }: Pick<Service, 'admin'>,
  { agentId: id, token, publicKey: identityKey }: Credentials,
  {
    farmId,
    name = hostname(),
    log,
    maxMiners,
  }: { farmId: string; name?: string | undefined; log: Log; maxMiners: number },
): Promise<void> {
  const agent = { id, farmId, name, token: token.reveal(), identityKey, version: VERSION };
  if (await admin.admitAgent({ ...agent, maxMiners }))
    log.warn({ agentId: id }, "the database did not know this host's own agent: it does again");
}

/**
 * The remote service beside the farm's own. While it cannot be reached, the farm runs without it until the next start.
 */
async function others(config: AgentConfig, log: Log): Promise<UplinkConfig[]> {
  if (config.service === undefined) return [];
  try {
    return [await companyUplink(config, 'service')];
  } catch (error) {
    log.warn(
      { url: config.service.url, cause: renderError(error) },
      'not enrolled with the service of the configuration: only the own service gets reports until the next start',
    );
    return [];
  }
}

// The line to the service that the configuration names: who the agent is there, got once by the enrolment code. It connects nothing by itself.
import type { UplinkConfig } from '../agent/agent.ts';
import type { AgentConfig } from '../agent/config.ts';
import { enrolOnce, loadCredentials } from '../agent/credentials.ts';
import { ConfigError } from '../base/errors.ts';

/** Throws ConfigError when the configuration lacks what is needed, PeerError when the service cannot be asked. The state directory must exist. */
export async function companyUplink(config: AgentConfig, configName: string): Promise<UplinkConfig> {
  const { service, stateDir } = config;
  const { keyFile } = config.credentials;
  if (service === undefined) {
    throw new ConfigError(`check config ${configName}`, [
      { path: 'service.url', message: 'is needed to run the agent alone; `pithead up` runs a service with it' },
    ]);
  }
  const { url, allowPlain } = service;
  const kept = loadCredentials(stateDir, url, keyFile);
  if (kept === undefined && service.enrolmentCode === undefined) {
    throw new ConfigError(`check config ${configName}`, [
      { path: 'service.enrolmentCode', message: 'is needed once: `pithead enroll` on the service makes one' },
    ]);
  }
  const code = service.enrolmentCode ?? '';
  const credentials =
    kept ?? (await enrolOnce({ stateDir, keyFile, realm: url, url, code, name: config.name, allowPlain }));
  return { name: 'service', allowPlain, ...credentials };
}

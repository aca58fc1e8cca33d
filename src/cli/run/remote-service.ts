// The uplink to the configured service: the agent's identity there, got once with the enrolment code. It opens no
// connection.
import type { AgentConfig } from '../../agent/config/config.ts';
import { enrolOnce, loadCredentials } from '../../agent/uplink/enrolment/credentials.ts';
import type { UplinkConfig } from '../../agent/uplink/service-link.ts';
import { ConfigError } from '../../base/errors.ts';

/**
 * Throws ConfigError when the configuration is incomplete, PeerError when the service cannot be reached. The state
 * directory must exist.
 */
export async function companyUplink(config: AgentConfig, configName: string): Promise<UplinkConfig> {
  const { stateDir, name } = config;
  const { keyFile } = config.credentials;
  const fail = (path: string, message: string): never => {
    throw new ConfigError(`check config ${configName}`, [{ path, message }]);
  };
  const { url, allowPlain, enrolmentCode } =
    config.service ?? fail('service.url', 'is needed to run the agent alone; `pithead up` runs a service with it');
  const enrol = (code: string) => enrolOnce({ stateDir, keyFile, realm: url, url, code, name, allowPlain });
  const credentials =
    loadCredentials(stateDir, url, keyFile) ??
    (await enrol(
      enrolmentCode ?? fail('service.enrolmentCode', 'is needed once: `pithead enroll` on the service makes one'),
    ));
  return { name: 'service', allowPlain, ...credentials };
}

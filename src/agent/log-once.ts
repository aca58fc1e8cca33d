// The log of one miner for a technician on the spot: recognised, asked once, cleaned. Keeps nothing and writes nothing.
import { ConfigError, PeerError } from '../base/errors.ts';
import { parseIpv4 } from '../base/net/ipv4.ts';
import { SCAN_PORTS } from '../driver/identify.ts';
import type { AgentConfig } from './config/config.ts';
import type { Access } from './device/device-client.ts';
import { accessFor, rangesOrThrow } from './once.ts';
import { cleanLog } from './tasks/log-evidence.ts';
import { mustBeAllowed } from './tasks/settings.ts';

/**
 * The text, without control characters and without passwords. Throws ConfigError when the address is none, RefusedError when logs are not to be read
 * here, PeerError when the miner does not answer, refuses, or has no log to give.
 */
export async function logOnce(
  { config, ip }: { config: AgentConfig; ip: string },
  signal: AbortSignal,
): Promise<string> {
  if (parseIpv4(ip) === undefined) {
    throw new ConfigError('read the address', [{ path: 'ip', message: `'${ip}' is not an address such as 10.0.0.5` }]);
  }
  mustBeAllowed('miner.log.get', `read the log of ${ip}`, config.tasks);
  const access = accessFor(config, rangesOrThrow([ip], []));
  try {
    return await logWith(access, ip, signal);
  } finally {
    await access.close();
  }
}

/** The same by way of somebody's access. Throws PeerError. */
export async function logWith(
  access: Pick<Access, 'recognise' | 'act' | 'secretsOf'>,
  ip: string,
  signal: AbortSignal,
): Promise<string> {
  const found = await access.recognise(ip, new Set(SCAN_PORTS), signal);
  if (found.status === 'unknown') {
    throw new PeerError('peer.unsupported', `read the log of ${ip}: no miner that we know answers there`, 'later');
  }
  const { target } = found;
  const reply = await access.act(target, 'log', {}, signal);
  const log = reply.kind === 'accepted' ? reply.log : undefined;
  if (log === undefined) throw new PeerError('peer.reset', `read the log of ${ip}: it gave none`, 'soon');
  return cleanLog(log, access.secretsOf(target));
}

// What a technician asks for on the spot, without a running agent, and that sends nothing but questions: one scan, one
// look at one miner, its log. Keeps nothing and writes nothing.
import type { ScanAccount } from '../../model/contact.ts';
import type { Found } from '../capture/found.ts';
import { lookWith, type ScanFeedback, scanWith } from '../capture/look.ts';
import type { AgentConfig } from '../config/config.ts';
import { scanLimitsOf } from '../scan/scan-limits.ts';
import { logWith } from '../tasks/execution/log-evidence.ts';
import { mustBeAllowed } from '../tasks/settings.ts';
import { rangesOrThrow, singleAddress, withDeviceClient } from './reach.ts';

/**
 * Scans the ranges. Throws ConfigError that names each range that is wrong, RefusedError where scans are not allowed; a
 * cancelled scan gives its account.
 */
export async function scanOnce(
  { config, ...named }: { config: AgentConfig; ranges: readonly string[]; exclude: readonly string[] },
  listener: ScanFeedback,
  signal: AbortSignal,
): Promise<ScanAccount> {
  const ranges = rangesOrThrow(named.ranges, named.exclude);
  mustBeAllowed('agent.scan.create', 'scan', config.tasks);
  const pace = scanLimitsOf(config.scan, ranges);
  for (const line of [...ranges.echo, ...pace.advice]) listener.onUnderstood(line);
  return withDeviceClient(config, ranges, (client) => {
    const fault = config.credentials.factoryDefaults ? client.trustFault() : undefined;
    if (fault !== undefined)
      listener.onUnderstood(`no factory login is tried, because what was tried before cannot be looked up: ${fault}`);
    return scanWith(client, { ranges, limits: pace.limits }, listener, signal);
  });
}

type OneMiner = { readonly config: AgentConfig; readonly ip: string };

/** Everything that one miner says now. Throws ConfigError when the address is none. */
export async function lookOnce({ config, ip }: OneMiner, signal: AbortSignal): Promise<Found> {
  const ranges = rangesOrThrow([singleAddress(ip)], []);
  const plan = { ranges, limits: scanLimitsOf(config.scan, ranges).limits };
  return withDeviceClient(config, ranges, (client) => lookWith(client, plan, ip, signal));
}

/**
 * Its log, without control characters and without passwords. Throws ConfigError when the address is none, RefusedError
 * when logs are not to be read here, PeerError when the miner does not answer, refuses, or has no log to give.
 */
export async function logOnce({ config, ip }: OneMiner, signal: AbortSignal): Promise<string> {
  const ranges = rangesOrThrow([singleAddress(ip)], []);
  mustBeAllowed('miner.log.get', `read the log of ${ip}`, config.tasks);
  return withDeviceClient(config, ranges, (client) => logWith(client, ip, signal));
}

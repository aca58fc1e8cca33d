// What a technician asks for on the spot, without a running agent: one scan, one look at one miner. Keeps nothing and writes nothing.

import { drivers, pleaseAddMe } from '../../drivers/index.ts';
import { systemClock } from '../base/clock.ts';
import { ConfigError, PeerError, renderError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { parseIpv4 } from '../base/net/ipv4.ts';
import { covers, readRanges, type ScanRanges } from '../base/net/ranges.ts';
import type { Evidence, Identity } from '../driver/contract.ts';
import type { ContactStatus, ScanAccount } from '../model/contact.ts';
import type { Reading } from '../model/reading.ts';
import type { Tap } from '../transport/tcp/recorder.ts';
import type { AgentConfig } from './config/config.ts';
import { type Access, createAccess, type Recognised } from './device/device-client.ts';
import { paceOf } from './pace.ts';
import type { Contact, ScanPlan } from './scan/plan.ts';
import { runScan } from './scan/scan.ts';
import { mustBeAllowed } from './tasks/settings.ts';

/** One address and what is there. */
export type Found = {
  readonly ip: string;
  readonly status: ContactStatus;
  readonly openPorts: readonly number[];
  readonly driver?: string;
  readonly identity?: Identity;
  readonly evidence?: Evidence;
  readonly reading?: Reading;
  readonly failedAsks?: readonly { readonly ask: string; readonly message: string }[];
  readonly elapsedMs?: number;
  /** For devices without a driver of their own: what they say, with everything private removed, to be sent to us. */
  readonly sample?: string;
};

export type ScanListener = {
  /** What was understood of the ranges, before anything is sent. */
  onUnderstood(text: string): void;
  /** Each miner, and each host that answers without being recognised, once. */
  onFound(found: Found): void;
  onProgress(done: number, total: number, identified: number): void;
};

/** Scans the ranges. Throws ConfigError that names each range that is wrong, RefusedError where scans are not allowed; a cancelled scan gives its account. */
export async function scanOnce(
  options: { config: AgentConfig; ranges: readonly string[]; exclude: readonly string[] },
  listener: ScanListener,
  signal: AbortSignal,
): Promise<ScanAccount> {
  const ranges = rangesOrThrow(options.ranges, options.exclude);
  mustBeAllowed('agent.scan.create', 'scan', options.config.tasks);
  const pace = paceOf(options.config, ranges);
  for (const line of [...ranges.echo, ...pace.advice]) listener.onUnderstood(line);
  const access = accessFor(options.config, ranges);
  try {
    return await scanWith(access, { ranges, limits: pace.limits }, listener, signal);
  } finally {
    await access.close();
  }
}

function scanWith(
  access: Access,
  plan: ScanPlan,
  listener: Pick<ScanListener, 'onFound' | 'onProgress'>,
  signal: AbortSignal,
): Promise<ScanAccount> {
  return runScan(
    plan,
    { clock: systemClock, random: Math.random, probe: access.transport.probe, identify: access.recognise },
    {
      onContact(contact) {
        const found = foundOf(contact);
        if (found !== undefined) listener.onFound(found);
      },
      onProgress: ({ probed, toProbe, identified }) => listener.onProgress(probed, toProbe, identified),
    },
    signal,
  );
}

/** What a person is shown of an address; undefined where nobody answers or every port is closed. */
export function foundOf({ ip, status, openPorts, found }: Contact<Recognised>): Found | undefined {
  if (status === 'silent' || status === 'closed') return undefined;
  return { ...describeFound(ip, status, found), openPorts };
}

/** Everything that one miner says now. Throws ConfigError when the address is none. */
export async function lookOnce(options: { config: AgentConfig; ip: string }, signal: AbortSignal): Promise<Found> {
  const { config, ip } = options;
  const ranges = rangesOrThrow([singleAddress(ip)], []);
  const access = accessFor(config, ranges);
  try {
    return await lookWith(access, { ranges, limits: paceOf(config, ranges).limits }, ip, signal);
  } finally {
    await access.close();
  }
}

/** The same by way of somebody's access. `plan` is of this one address. */
export async function lookWith(access: Access, plan: ScanPlan, ip: string, signal: AbortSignal): Promise<Found> {
  let result: Found = { ip, status: 'silent', openPorts: [] };
  const listener = { onFound: (found: Found) => (result = found), onProgress() {} };
  const { counts } = await scanWith(access, plan, listener, signal);
  if (counts.closed > 0) return { ip, status: 'closed', openPorts: [] };
  const { evidence } = result;
  const isStranger = result.status === 'unknown' || result.driver === GENERIC_DRIVER;
  if (!isStranger || evidence === undefined) return result;
  const sample = await access.transport.turns.run(ip, 'command', signal, () => sampleOf(access, ip, evidence, signal));
  return { ...result, sample };
}

export const GENERIC_DRIVER = 'cgminer';

/** What a device without a driver says to the generic questions, fit to be sent to us. The caller holds the turn. */
async function sampleOf(access: Access, ip: string, evidence: Evidence, signal: AbortSignal): Promise<string> {
  const link = access.transport.link(ip);
  const raw: Record<string, unknown> = {};
  for (const [name, ask] of Object.entries(drivers.find(({ id }) => id === GENERIC_DRIVER)?.asks ?? {})) {
    try {
      raw[name] = await link.send(ask, { signal });
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
    }
  }
  return pleaseAddMe(evidence, raw);
}

function describeFound(ip: string, status: ContactStatus, found: Recognised | undefined): Omit<Found, 'openPorts'> {
  if (found === undefined) return { ip, status };
  const { evidence } = found;
  if (found.status === 'unknown') return { ip, status, evidence };
  const { target, identity, outcome } = found;
  const base = { ip, status, evidence, driver: target.driver.id, identity };
  if (outcome === undefined) return base;
  return {
    ...base,
    reading: outcome.reading,
    failedAsks: outcome.failed.map(({ ask, error }) => ({ ask, message: renderError(error) })),
    elapsedMs: outcome.elapsedMs,
  };
}

/** What a person chooses from when a login is to be set. */
export function driverFacts(): readonly {
  readonly id: string;
  readonly make: string;
  readonly login: string;
  readonly user: string;
}[] {
  return drivers.map(({ id, make, login }) => ({
    id,
    make,
    login: login.kind,
    user: login.factoryDefault?.user ?? 'root',
  }));
}

/** Reach is exactly what the technician named. */
export function accessFor(config: AgentConfig, ranges: ScanRanges, tap?: Tap): Access {
  const mayReach = (ip: string) => covers(ranges, ip);
  return createAccess({ clock: systemClock, log: silentLog, drivers, config, mayReach, ...(tap && { tap }) });
}

export function rangesOrThrow(ranges: readonly string[], exclude: readonly string[]): ScanRanges {
  const read = readRanges(ranges, exclude, { path: 'ranges', excludePath: '--exclude' });
  if (read.problems.length > 0) throw new ConfigError('read the ranges', read.problems);
  return read;
}

export function singleAddress(ip: string): string {
  if (parseIpv4(ip) === undefined)
    throw new ConfigError('read the address', [{ path: 'ip', message: `'${ip}' is not an address such as 10.0.0.5` }]);
  return ip;
}

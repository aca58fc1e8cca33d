// What is at an address, in the form that a person sees: of each contact of a scan, and of one miner that is read now.
// It keeps nothing.
import { drivers } from '../../../drivers/index.ts';
import { systemClock } from '../../base/clock.ts';
import { PeerError, renderError } from '../../base/errors.ts';
import type { Evidence } from '../../driver/contract.ts';
import type { ScanAccount } from '../../model/contact.ts';
import type { DeviceClient, Recognised } from '../device/device-client.ts';
import type { Contact, ScanPlan } from '../scan/plan.ts';
import { runScan } from '../scan/scan.ts';
import type { Found } from './found.ts';
import { pleaseAddMe } from './please-add-me.ts';

type FoundListener = {
  /** Each miner, and each host that answers without being recognised, once. */
  onFound(found: Found): void;
  onProgress(done: number, total: number, identified: number): void;
};

export type ScanFeedback = FoundListener & {
  /** How the ranges were understood, before anything is sent. */
  onUnderstood(text: string): void;
};

/** Undefined where nothing answers or every port is closed. */
export function foundOf({ ip, status, openPorts, found }: Contact<Recognised>): Found | undefined {
  if (status === 'silent' || status === 'closed') return undefined;
  const mute = { isMute: true } as const;
  if (found === undefined) return { ip, status, openPorts, ...(status === 'unknown' && mute) };
  const { evidence } = found;
  if (found.status === 'unknown') return { ip, status, evidence, openPorts, ...(!hasAnswered(evidence) && mute) };
  const { target, identity } = found;
  const { id: driver, origin } = target.driver;
  const base = {
    ip,
    status,
    evidence,
    driver,
    identity,
    openPorts,
    ...(origin !== undefined && { driverOrigin: origin }),
  };
  if (found.status === 'likely' || found.outcome === undefined) return base;
  const { outcome } = found;
  return {
    ...base,
    reading: outcome.reading,
    failedAsks: outcome.failed.map(({ ask, error }) => ({ ask, message: renderError(error) })),
    elapsedMs: outcome.elapsedMs,
  };
}

/** One scan by way of this client. */
export function scanWith(
  client: DeviceClient,
  plan: ScanPlan,
  listener: FoundListener,
  signal: AbortSignal,
): Promise<ScanAccount> {
  return runScan(
    plan,
    { clock: systemClock, random: Math.random, probe: client.transport.probe, identify: client.recognise },
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

/** Everything that one miner reports now. `plan` is of this one address. */
export async function lookWith(client: DeviceClient, plan: ScanPlan, ip: string, signal: AbortSignal): Promise<Found> {
  let result: Found = { ip, status: 'silent', openPorts: [] };
  const listener = { onFound: (found: Found) => (result = found), onProgress() {} };
  const { counts } = await scanWith(client, plan, listener, signal);
  if (counts.closed > 0) return { ip, status: 'closed', openPorts: [] };
  const { evidence } = result;
  const isStranger = result.status === 'unknown' || result.driver === GENERIC_DRIVER;
  // A device that answers nothing gives no sample.
  if (!isStranger || evidence === undefined || result.isMute === true) return result;
  const sample = await client.transport.deviceMutex.run(ip, 'command', signal, () =>
    sampleOf(client, ip, evidence, signal),
  );
  return { ...result, sample };
}

/** Whether any answer came back, besides connections. */
function hasAnswered({ family: _, isProven: __, ...said }: Evidence): boolean {
  return Object.values(said).some((answer) => answer !== undefined);
}

export const GENERIC_DRIVER = 'cgminer';

/** The answers to the generic questions without private data. The caller holds the device mutex. */
async function sampleOf(client: DeviceClient, ip: string, evidence: Evidence, signal: AbortSignal): Promise<string> {
  const link = client.transport.link(ip);
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

// The agent's scans: the scheduled one and the manual ones, through one scanner. Every finding goes to the fleet.
// `scan.ts` has the scan itself.
import pLimit from 'p-limit';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { RangesToProbe } from '../../base/net/ranges.ts';
import type { DeviceClient, Recognised } from '../device/device-client.ts';
import { isMiner } from '../device/recognised.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { createManualScans } from './manual-scans.ts';
import type { ScanPlan } from './plan.ts';
import { runScan } from './scan.ts';
import { type ScanSettings, scanLimitsOf } from './scan-limits.ts';
import { Scanner } from './scanner.ts';

/** Findings that are taken in at the same time. */
const TAKEN_IN_AT_ONCE = 64;

export type Scanning = ReturnType<typeof createScanning>;

export function createScanning(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** As they are now; times in ms. */
  readonly settings: {
    readonly ranges: RangesToProbe;
    readonly scan: ScanSettings;
  };
  readonly client: Pick<DeviceClient, 'recognise' | 'writeMet'> & {
    readonly transport: Pick<DeviceClient['transport'], 'probe'>;
  };
  readonly fleet: Pick<Fleet, 'recognised'>;
  /** Where the miners were that are known. */
  knownIps(): readonly string[];
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
  /** A finding could not be taken in. */
  onError(error: unknown, ip: string): void;
}) {
  const { clock, log, random, settings, client, fleet, signal } = parts;
  /** A farm that has moved has a silent old address for each miner. One look after the other would take hours. */
  const takingIn = pLimit(TAKEN_IN_AT_ONCE);
  const pending = new Set<Promise<void>>();
  /** Resolves when everything found so far is taken in and written: other programs on this host can then read it. */
  const findings = () => Promise.all(pending).then(() => client.writeMet());

  /** Hands a found miner to the fleet; resolves when it is taken in. Ignores devices without proof of their family. */
  const takeIn = async (ip: string, found: Recognised): Promise<void> => {
    if (!isMiner(found)) return;
    const done = takingIn(() => fleet.recognised(ip, found, signal))
      .catch((error: unknown) => parts.onError(error, ip))
      .finally(() => pending.delete(done));
    pending.add(done);
    await done;
  };

  /** The plan of a scan of these ranges, with the miners that are known today. */
  const planFor = (ranges: ScanPlan['ranges']): ScanPlan => ({
    ranges,
    known: parts.knownIps(),
    limits: scanLimitsOf(settings.scan, settings.ranges).limits,
  });
  /** Of all configured ranges; undefined when there are none. */
  const plan = () => (settings.ranges.toProbe === 0 ? undefined : planFor(settings.ranges));
  /** A background scan is gentle. The first scan of a farm is not: no miner is known, and a person waits for it. */
  const backgroundPlan = (): ScanPlan | undefined => {
    const whole = plan();
    if (whole === undefined || parts.knownIps().length === 0) return whole;
    return { ...whole, limits: scanLimitsOf(settings.scan, settings.ranges, 'background').limits, isBackground: true };
  };
  const manual = createManualScans<Recognised>(() => scanner, findings);
  const scanner: Scanner<Recognised> = new Scanner<Recognised>({
    clock,
    log,
    random,
    run(scanPlan, pause, listener, aborted) {
      const { isBackground: isGentle = false } = scanPlan;
      const identify = (ip: string, open: ReadonlySet<number>, scanSignal: AbortSignal, isLastTry: boolean) =>
        client.recognise(ip, open, scanSignal, isLastTry, isGentle);
      const deps = { clock, random, pause, probe: client.transport.probe, identify };
      return runScan(scanPlan, deps, listener, aborted);
    },
    schedule: { everyMs: settings.scan.every, plan: backgroundPlan },
    sink: {
      onContact(scan, contact) {
        manual.onContact(scan, contact);
        if (contact.found !== undefined) void takeIn(contact.ip, contact.found);
      },
      onProgress: manual.onProgress,
      onEnd(finished) {
        const { id, account } = finished;
        if (account !== undefined)
          log.info({ scan: id, ...account.counts, likely: account.likely, addresses: account.addresses }, 'scan ended');
        manual.onEnd(finished);
      },
    },
  });
  return { scanner, manual, planFor, plan, takeIn, findings };
}

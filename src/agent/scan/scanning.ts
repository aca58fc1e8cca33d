// The agent's scans: the scheduled one and those that people ask for, through one scanner, and every finding handed to the fleet.
// How a scan goes is the scan organ's.
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
import { paceOf, type ScanSettings } from './scan-limits.ts';
import { createScanner, type Scanner } from './scanner.ts';

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
  /** A farm that has moved has a silent old address for each miner: looked at one by one, that would take hours. */
  const takingIn = pLimit(TAKEN_IN_AT_ONCE);
  const pending = new Set<Promise<void>>();
  /** What waits for a scan waits for these too: other programs of this host see then whom it met. */
  const findings = () => Promise.all(pending).then(() => client.writeMet());

  /** Hands over what was found at an address; resolves when it is taken in. What gives no proof of its family is no miner of this farm. */
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
    limits: paceOf(settings.scan, settings.ranges).limits,
  });
  /** Of all configured ranges; undefined when there are none. */
  const plan = () => (settings.ranges.toProbe === 0 ? undefined : planFor(settings.ranges));
  /** Nothing is asked twice within a poll interval for its sake. While no miner is known there is nobody to disturb, and somebody waits to see the farm. */
  const backgroundPlan = (): ScanPlan | undefined => {
    const whole = plan();
    if (whole === undefined || parts.knownIps().length === 0) return whole;
    return { ...whole, limits: paceOf(settings.scan, settings.ranges, 'background').limits, isBackground: true };
  };
  const manual = createManualScans<Recognised>(() => scanner, findings);
  const scanner: Scanner = createScanner<Recognised>({
    clock,
    log,
    random,
    run(scanPlan, brake, listener, aborted) {
      const { isBackground: isGentle = false } = scanPlan;
      const identify = (ip: string, open: ReadonlySet<number>, scanSignal: AbortSignal, isLastTry: boolean) =>
        client.recognise(ip, open, scanSignal, isLastTry, isGentle);
      const deps = { clock, random, brake, probe: client.transport.probe, identify };
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
  return {
    scanner,
    manual,
    planFor,
    plan,
    takeIn,
    /** When everything that was found until now has been taken in. */
    findings,
  };
}

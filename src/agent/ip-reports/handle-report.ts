// A technician presses the IP-report button of a miner: its address is scanned at once, before scans that wait, and the
// service gets an event. Only identification decides which miner it is.
import pLimit from 'p-limit';
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ScanRanges } from '../../base/net/ranges.ts';
import { narrowRanges } from '../../base/net/restrict-ranges.ts';
import type { EventRecord } from '../../wire/records.ts';
import type { DeviceClient, Recognised } from '../device/device-client.ts';
import type { Contact } from '../scan/plan.ts';
import { runScan } from '../scan/scan.ts';
import type { Scanning } from '../scan/scanning.ts';
import type { IpReport } from './listener.ts';

type Parts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** As they are now. */
  readonly settings: { readonly ranges: ScanRanges };
  readonly client: Pick<DeviceClient, 'transport' | 'recognise'>;
  readonly scanning: Pick<Scanning, 'planFor' | 'takeIn'>;
  readonly registry: { byIp(ip: string): { readonly key: string } | undefined };
  readonly emit: (event: EventRecord) => void;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
};

const AT_ONCE = 4;
/** Further reports are dropped: the button is pressed again. */
const MAX_WAITING = 16;

/** Resolves when the report is handled; never rejects. */
export function createIpReportHandler(parts: Parts): (report: IpReport) => Promise<void> {
  const { clock, log, random, settings, client, scanning, registry, emit, signal } = parts;
  const limit = pLimit(AT_ONCE);

  const look = async ({ ip, makes, claimedMac }: IpReport) => {
    const ranges = narrowRanges(settings.ranges, [ip]);
    if (typeof ranges === 'string' || signal.aborted) return;
    let contact: Contact<Recognised> | undefined;
    const listener = { onContact: (found: Contact<Recognised>) => (contact = found) };
    const deps = { clock, random, probe: client.transport.probe, identify: client.recognise };
    await runScan(scanning.planFor(ranges), deps, listener, signal);
    if (contact?.found !== undefined) await scanning.takeIn(ip, contact.found);
    const status = contact?.status ?? 'silent';
    log.info({ ip, makes, claimedMac, status }, 'the IP-report button of a miner was pressed');
    const key = registry.byIp(ip)?.key;
    if (key === undefined || contact === undefined) return;
    const detail = { ip, makes, claimedMac: claimedMac ?? null, status };
    emit({ kind: 'event', type: 'ip_reported', key, at: new Date(clock.nowMs()).toISOString(), detail });
  };

  return async (report) => {
    if (limit.pendingCount >= MAX_WAITING) return;
    try {
      await limit(look, report);
    } catch (error) {
      if (!signal.aborted) log.error({ ip: report.ip, cause: renderError(error) }, 'scan the address of an IP report');
    }
  };
}

// The limits of a scan on this host: as configured, and within its open files and its neighbour table; with advice
// where they are tight.
import type { RangesToProbe } from '../../base/net/ranges.ts';
import { socketsWithin } from '../../base/platform/fd-limit.ts';
import { SCAN_PORTS } from '../../driver/identify.ts';
import { readiness } from '../host/readiness.ts';
import type { ScanPlan } from './plan.ts';

/** Times in ms. */
export type ScanSettings = {
  readonly every: number;
  readonly maxInFlight: number;
  /** Connects per second; absent = what the host bears, and less in the background. */
  readonly maxPerSecond?: number | undefined;
  readonly timeout: number;
  readonly maxIdentifying: number;
};

/** Default connects per second of a background scan: a load that routers which track connections can take. */
const BACKGROUND_PER_SECOND = 100;

/** `background` = no person waits for it. */
export function scanLimitsOf(
  scan: ScanSettings,
  { ranges, toProbe }: Pick<RangesToProbe, 'ranges' | 'toProbe'>,
  kind: 'asked-for' | 'background' = 'asked-for',
) {
  const { limits, onLinkPerSecond, way, advice } = readiness({
    sockets: scan.maxInFlight,
    ranges: ranges.flatMap(({ spans }) => spans),
  });
  const onLink = onLinkPerSecond === undefined ? Infinity : onLinkPerSecond * SCAN_PORTS.length;
  const usual = Math.min(onLink, kind === 'background' ? BACKGROUND_PER_SECOND : Infinity);
  return {
    limits: {
      maxSockets: Math.min(scan.maxInFlight, socketsWithin(limits.openFiles ?? Infinity)),
      maxPerSecond: scan.maxPerSecond ?? (usual === Infinity ? undefined : usual),
      probeTimeoutMs: scan.timeout,
      maxIdentifying: scan.maxIdentifying,
    } satisfies ScanPlan['limits'],
    /** How the addresses are reached, in words. */
    way,
    /** One line per shortcoming of this host or of the settings, with the setting to change. */
    advice: [...advice, ...(kind === 'background' ? adviseSchedule(scan, toProbe, scan.maxPerSecond ?? usual) : [])],
  };
}

/** A scan that still runs when the next one is due suppresses that one. */
function adviseSchedule({ every, maxPerSecond }: ScanSettings, toProbe: number, perSecond: number): string[] {
  const connects = toProbe * SCAN_PORTS.length;
  const tookMs = (connects / perSecond) * 1_000;
  if (tookMs <= every) return [];
  const wanted = Math.ceil((connects * 1_000) / every / 10) * 10;
  return [
    `scan: ${toProbe} addresses take ${Math.ceil(tookMs / 60_000)} min at ${perSecond} connects a second${maxPerSecond === undefined ? ' (the default)' : ''}, ` +
      `longer than scan.every. Set scan.maxPerSecond to ${wanted} or more if the network bears it, or scan.every to ${Math.ceil((tookMs * 1.2) / 60_000)}m.`,
  ];
}

// How hard this host may scan: the configured limits, held within what its open files and its neighbour table bear, and advice where they are tight.
import type { AgentConfig } from './config.ts';
import { readiness } from './host/readiness.ts';
import { SCAN_PORTS, type ScanLimits, socketsWithin } from './scan/plan.ts';
import type { ScanRanges } from './scan/ranges.ts';

export type Pace = {
  readonly limits: { readonly [K in keyof ScanLimits]?: ScanLimits[K] | undefined };
  /** One line per shortcoming of this host, with the setting to change. */
  readonly advice: readonly string[];
};

/**
 * Connects per second of a scan that nobody waits for, where the configuration says nothing: routers that track connections bear it, and no miner
 * notices.
 */
const BACKGROUND_PER_SECOND = 100;

/** `background` = nobody waits for it. */
export function paceOf(
  { scan }: Pick<AgentConfig, 'scan'>,
  { ranges }: Pick<ScanRanges, 'ranges'>,
  kind: 'asked-for' | 'background' = 'asked-for',
): Pace {
  const { limits, onLinkPerSecond, advice } = readiness({
    sockets: scan.maxInFlight,
    ranges: ranges.flatMap(({ spans }) => spans),
  });
  const onLink = onLinkPerSecond === undefined ? Infinity : onLinkPerSecond * SCAN_PORTS.length;
  const usual = Math.min(onLink, kind === 'background' ? BACKGROUND_PER_SECOND : Infinity);
  return {
    limits: {
      maxSockets: socketsWithin(scan.maxInFlight, limits.openFiles),
      maxPerSecond: scan.maxPerSecond ?? (usual === Infinity ? undefined : usual),
      probeTimeoutMs: scan.timeout,
      maxIdentifying: scan.maxIdentifying,
    },
    advice,
  };
}

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

export function paceOf({ scan }: Pick<AgentConfig, 'scan'>, { ranges }: Pick<ScanRanges, 'ranges'>): Pace {
  const { limits, onLinkPerSecond, advice } = readiness({
    sockets: scan.maxInFlight,
    ranges: ranges.flatMap(({ spans }) => spans),
  });
  return {
    limits: {
      maxSockets: socketsWithin(scan.maxInFlight, limits.openFiles),
      maxPerSecond:
        scan.maxPerSecond ?? (onLinkPerSecond === undefined ? undefined : onLinkPerSecond * SCAN_PORTS.length),
      probeTimeoutMs: scan.timeout,
      maxIdentifying: scan.maxIdentifying,
    },
    advice,
  };
}

// A simulated network for scans on a virtual clock: each address has ports that answer in their own time, and a device
// that can be identified.
import type { Identification, ScanDeps } from '../../../../src/agent/scan/plan.ts';
import type { ProbeResult } from '../../../../src/transport/tcp/exchange.ts';
import type { VirtualClock } from '../../../support/virtual-clock.ts';

export type Who = Identification & { readonly name: string };

export type Station = {
  /** Answer per port and try (the last one stays); ports that are not named are silent. */
  readonly ports?: Readonly<Record<number, ProbeResult | readonly (ProbeResult | 'error')[]>>;
  readonly answerMs?: number;
  /** Per try (the last one stays): who is there, or how identification goes wrong. */
  readonly who?: readonly (Who | 'hangs' | 'throws')[];
  readonly identifyMs?: number;
};

export function createNetwork(clock: VirtualClock, stations: ReadonlyMap<string, Station>) {
  const tries = new Map<string, number>();
  const seen = {
    probes: [] as { readonly atMs: number; readonly ip: string; readonly port: number }[],
    identifications: [] as {
      readonly atMs: number;
      readonly ip: string;
      readonly open: readonly number[];
      readonly isLastTry: boolean;
    }[],
    probing: 0,
    mostProbing: 0,
    identifying: 0,
    mostIdentifying: 0,
  };
  const nth = <T>(list: readonly T[], what: string): T | undefined => {
    const done = tries.get(what) ?? 0;
    tries.set(what, done + 1);
    return list[Math.min(done, list.length - 1)];
  };

  const deps: ScanDeps<Who> = {
    clock,
    random: () => 0.42,
    async probe(ip, port, timeoutMs, signal) {
      seen.probes.push({ atMs: clock.monotonicMs(), ip, port });
      seen.mostProbing = Math.max(seen.mostProbing, ++seen.probing);
      try {
        const station = stations.get(ip);
        const scripted = station?.ports?.[port];
        const answer = typeof scripted === 'object' ? nth(scripted, `${ip}:${port}`) : scripted;
        if (answer === 'error') throw new Error('out of sockets');
        const takesMs = answer === 'open' || answer === 'refused' ? (station?.answerMs ?? 5) : timeoutMs;
        await clock.sleep(Math.min(takesMs, timeoutMs), signal);
        return takesMs > timeoutMs ? 'silent' : (answer ?? 'silent');
      } finally {
        seen.probing--;
      }
    },
    async identify(ip, openPorts, signal, isLastTry) {
      seen.identifications.push({ atMs: clock.monotonicMs(), ip, open: [...openPorts], isLastTry });
      seen.mostIdentifying = Math.max(seen.mostIdentifying, ++seen.identifying);
      try {
        const station = stations.get(ip);
        const who = nth(station?.who ?? [], ip);
        if (who === 'hangs') await new Promise(() => {});
        await clock.sleep(station?.identifyMs ?? 20, signal);
        if (who === 'throws' || who === undefined || who === 'hangs') throw new Error('nothing sensible');
        return who;
      } finally {
        seen.identifying--;
      }
    },
  };
  return { deps, seen };
}

export const miner = (name: string): Who => ({ status: 'identified', name });
export const stranger: Who = { status: 'unknown', name: 'printer' };

// The agent's connection to one service: outbound only, kept up while it is started. It waits longer and longer, at
// random, between tries. It stores nothing: slices come from the source, and are deleted there only when the service
// has confirmed them.

import { renderError } from '../../base/errors.ts';
import { fullJitterMs } from '../../base/time/backoff.ts';
import { lookAtClocks, offsetOf } from '../../base/time/clock-steps.ts';
import { PEER_SILENCE_MS, PING_INTERVAL_MS } from '../../wire/protocol.ts';
import { serviceAddress } from './address.ts';
import { connect, type LinkParts } from './connection.ts';
import { createWindow } from './sender.ts';
import type { ConnectionEnd } from './socket.ts';

/** `waiting` = lost or not reached, tried again; `refused` = identity not accepted. Times in ms since the epoch. */
export type UplinkState = {
  readonly name: string;
  readonly phase: 'stopped' | 'connecting' | 'online' | 'waiting' | 'refused';
  readonly connectedSince: number | undefined;
  readonly nextTryAt: number | undefined;
  readonly lastError: string | undefined;
  /** Slices that the service has not confirmed; undefined when that is not known. */
  readonly backlog: number | undefined;
  /** Service clock minus ours, ms, at the last welcome; for another host moved by the steps of our clock since. */
  readonly skewMs: number | undefined;
};

export type Uplink = ReturnType<typeof createUplink>;

const TIMING = {
  pingMs: PING_INTERVAL_MS,
  silenceMs: PEER_SILENCE_MS,
  /** For the connection, and again for the welcome. */
  answerMs: 15_000,
  /** Without any acknowledgement while slices are on the way. */
  ackMs: 60_000,
  backoff: { baseMs: 1_000, capMs: 60_000 },
  /** A connection that lasts this long starts the backoff anew. */
  stableMs: 60_000,
  /**
   * A service that restarts ends the connections of all its agents, and they must not come back at once, nor before it
   * has stopped: of a thousand, fewer than fifty begin to connect in any second. `tries` = the tries that it counts as.
   */
  restart: { leastMs: 5_000, mostMs: 45_000, tries: 5 },
  refusedMs: 300_000,
};

type Timing = Readonly<typeof TIMING>;

/** Times by `elapsedMs`. `offsetMs` = what the wall clock was ahead of it at the welcome. */
type Progress = {
  readonly phase: UplinkState['phase'];
  readonly connectedAtMs?: number | undefined;
  readonly nextTryAtMs?: number | undefined;
  readonly lastError?: string | undefined;
  readonly welcome?: { readonly skewMs: number; readonly offsetMs: number } | undefined;
};

/** What is shown. `isOtherHost` = the clock of the service does not move with ours. */
export function shownAs(
  { phase, lastError, welcome, ...at }: Progress,
  { offsetMs, isOtherHost }: { readonly offsetMs: number; readonly isOtherHost: boolean },
): Omit<UplinkState, 'name' | 'backlog'> {
  const wallOf = (elapsedMs: number | undefined) => (elapsedMs === undefined ? undefined : elapsedMs + offsetMs);
  const movedMs = welcome !== undefined && isOtherHost ? offsetMs - welcome.offsetMs : 0;
  return {
    ...{ phase, lastError, connectedSince: wallOf(at.connectedAtMs), nextTryAt: wallOf(at.nextTryAtMs) },
    skewMs: welcome && welcome.skewMs - movedMs,
  };
}

/** How long to wait for the next try. Refused agents must not come back in step either. */
export const retryDelayMs = (
  kind: ConnectionEnd['kind'],
  tries: number,
  { backoff, restart, refusedMs }: Pick<Timing, 'backoff' | 'restart' | 'refusedMs'>,
  random: () => number,
): number => {
  if (kind === 'refused') return refusedMs * (0.9 + 0.2 * random());
  if (kind === 'restarting') return restart.leastMs + (restart.mostMs - restart.leastMs) * random();
  return fullJitterMs(tries, backoff, random);
};

/** Throws ConfigError when the address may not be used. */
export function createUplink(
  options: LinkParts & {
    readonly name: string;
    readonly url: string;
    readonly allowPlain?: boolean;
    readonly random: () => number;
    readonly onState?: (state: UplinkState) => void;
    readonly timing?: Partial<Timing>;
  },
) {
  const { name, clock, random, log, source } = options;
  const timing = { ...TIMING, ...options.timing };
  const address = serviceAddress(options.url, options.allowPlain);
  const window = createWindow();
  const offsetMs = () => offsetOf(lookAtClocks(clock));
  let progress: Progress = { phase: 'stopped' };
  let connection: ReturnType<typeof connect> | undefined;
  let running: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;

  const state = (): UplinkState => {
    const shown = shownAs(progress, { offsetMs: offsetMs(), isOtherHost: !address.isThisMachine });
    return { name, backlog: source.backlog(), ...shown };
  };

  const enter = ({ lastError = progress.lastError, welcome = progress.welcome, ...next }: Progress) => {
    progress = { lastError, welcome, ...next };
    try {
      options.onState?.(state());
    } catch (error) {
      log.error({ uplink: name, error: renderError(error) }, 'a listener of the uplink failed');
    }
  };

  /** How the connection ended, and how long it was online. */
  const attempt = async (): Promise<{ end: ConnectionEnd; onlineMs: number }> => {
    let onlineAtMs: number | undefined;
    const onWelcome = (skewMs: number) => {
      onlineAtMs = clock.monotonicMs();
      progress = { ...progress, lastError: undefined };
      enter({ phase: 'online', connectedAtMs: clock.elapsedMs(), welcome: { skewMs, offsetMs: offsetMs() } });
      log.info({ uplink: name, backlog: source.backlog(), skewMs }, 'connected to the service');
    };
    enter({ phase: 'connecting' });
    try {
      connection = connect({ ...options, address, window, timing, onWelcome });
      if (running?.stop.signal.aborted) connection.stop();
      const end = await connection.ended;
      return { end, onlineMs: onlineAtMs === undefined ? 0 : clock.monotonicMs() - onlineAtMs };
    } catch (error) {
      return { end: { kind: 'lost', reason: renderError(error) }, onlineMs: 0 };
    } finally {
      connection = undefined;
    }
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    for (let tries = 0; !signal.aborted; tries++) {
      const { end, onlineMs } = await attempt();
      if (signal.aborted) break;
      if (end.kind === 'restarting') tries = Math.max(tries, timing.restart.tries);
      else if (onlineMs >= timing.stableMs) tries = 0;
      const delayMs = retryDelayMs(end.kind, tries, timing, random);
      const phase = end.kind === 'refused' ? 'refused' : 'waiting';
      enter({ phase, nextTryAtMs: clock.elapsedMs() + delayMs, lastError: end.reason });
      log.warn({ uplink: name, reason: end.reason, retryMs: Math.round(delayMs) }, 'not connected to the service');
      await clock.sleep(delayMs, signal).catch(() => {});
    }
    enter({ phase: 'stopped' });
  };

  return {
    name,
    start(): void {
      if (running !== undefined) return;
      if (address.isExposed)
        log.warn({ uplink: name }, 'the connection to the service is not encrypted: allowPlain is for trials');
      const stop = new AbortController();
      running = { stop, done: run(stop.signal) };
    },
    async stop(): Promise<void> {
      const current = running;
      if (current === undefined) return;
      current.stop.abort();
      connection?.stop();
      await current.done;
      if (running === current) running = undefined;
    },
    state,
  };
}

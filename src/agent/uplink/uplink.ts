// The agent's line to one service: outbound only, kept up for as long as it is started. It waits longer and longer, at random, between tries.
// It stores nothing: what is sent comes from the source, and goes from there only when the service has confirmed it.

import { renderError } from '../../base/errors.ts';
import { fullJitterMs } from '../../base/time/backoff.ts';
import { lookAtClocks, offsetOf } from '../../base/time/clock-steps.ts';
import { PEER_SILENCE_MS, PING_INTERVAL_MS } from '../../wire/protocol.ts';
import { serviceAddress } from './address.ts';
import { type ConnectionEnd, connect, type LinkParts } from './connection.ts';
import { createWindow } from './sender.ts';

/** `waiting` = lost or not reached, tried again at `nextTryAt`; `refused` = the service does not accept our identity. Times in ms since the epoch. */
export type UplinkState = {
  readonly name: string;
  readonly phase: 'stopped' | 'connecting' | 'online' | 'waiting' | 'refused';
  readonly connectedSince: number | undefined;
  readonly nextTryAt: number | undefined;
  readonly lastError: string | undefined;
  /** Slices that the service has not confirmed; undefined when it cannot be told. */
  readonly backlog: number | undefined;
  /** Service clock minus ours, ms: at the last welcome and, where the service is on another host, moved by what was done to our clock since. */
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
  refusedMs: 300_000,
};

/** Throws ConfigError when the address may not be used. */
export function createUplink(
  options: LinkParts & {
    readonly name: string;
    readonly url: string;
    readonly allowPlain?: boolean;
    readonly random: () => number;
    readonly onState?: (state: UplinkState) => void;
    readonly timing?: Readonly<Partial<typeof TIMING>>;
  },
) {
  const { name, clock, random, log, source } = options;
  const timing = { ...TIMING, ...options.timing };
  const address = serviceAddress(options.url, options.allowPlain);
  const window = createWindow();
  let phase: UplinkState['phase'] = 'stopped';
  /** By `elapsedMs`; what is shown of them is wall time. */
  let connectedAtMs: number | undefined;
  let nextTryAtMs: number | undefined;
  let lastError: string | undefined;
  let welcome: { readonly skewMs: number; readonly offsetMs: number } | undefined;
  let connection: ReturnType<typeof connect> | undefined;
  let running: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;

  const state = (): UplinkState => {
    const backlog = source.backlog();
    const offsetMs = offsetOf(lookAtClocks(clock));
    const wallOf = (elapsedMs: number | undefined) => (elapsedMs === undefined ? undefined : elapsedMs + offsetMs);
    const movedMs = welcome === undefined || address.isThisMachine ? 0 : offsetMs - welcome.offsetMs;
    return {
      ...{ name, phase, connectedSince: wallOf(connectedAtMs), nextTryAt: wallOf(nextTryAtMs), lastError, backlog },
      skewMs: welcome === undefined ? undefined : welcome.skewMs - movedMs,
    };
  };

  const enter = (next: UplinkState['phase']) => {
    phase = next;
    if (next !== 'online') connectedAtMs = undefined;
    if (next !== 'waiting' && next !== 'refused') nextTryAtMs = undefined;
    try {
      options.onState?.(state());
    } catch (error) {
      log.error({ uplink: name, error: renderError(error) }, 'a listener of the uplink failed');
    }
  };

  const attempt = async (): Promise<{ end: ConnectionEnd; onlineMs: number }> => {
    let onlineAtMs: number | undefined;
    enter('connecting');
    try {
      connection = connect({
        ...options,
        address,
        window,
        timing,
        onWelcome(skewMs) {
          onlineAtMs = clock.monotonicMs();
          connectedAtMs = clock.elapsedMs();
          welcome = { skewMs, offsetMs: offsetOf(lookAtClocks(clock)) };
          lastError = undefined;
          enter('online');
          log.info({ uplink: name, backlog: source.backlog(), skewMs }, 'connected to the service');
        },
      });
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
    let tries = 0;
    while (!signal.aborted) {
      const { end, onlineMs } = await attempt();
      if (signal.aborted) break;
      lastError = end.reason;
      if (onlineMs >= timing.stableMs) tries = 0;
      const isRefused = end.kind === 'refused';
      // A crowd of refused agents must not come back in step either.
      const delayMs = isRefused
        ? timing.refusedMs * (0.9 + 0.2 * random())
        : fullJitterMs(tries, timing.backoff, random);
      tries++;
      nextTryAtMs = clock.elapsedMs() + delayMs;
      enter(isRefused ? 'refused' : 'waiting');
      log.warn({ uplink: name, reason: end.reason, retryMs: Math.round(delayMs) }, 'not connected to the service');
      await clock.sleep(delayMs, signal).catch(() => {});
    }
    enter('stopped');
  };

  return {
    name,
    start(): void {
      if (running !== undefined) return;
      if (address.isExposed)
        log.warn({ uplink: name }, 'the line to the service is not encrypted: allowPlain is for trials');
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

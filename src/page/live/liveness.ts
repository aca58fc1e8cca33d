// What the page may say of how fresh its miners are, from what came and what failed. Pure: times are given.

/** Without a frame for so long the page is not live, and says so. */
export const SILENT_MS = 5_000;
/** So many sockets in a row that gave no frame, and the page asks every few seconds instead. */
const MOST_FAILED_SOCKETS = 3;
/** After so long a page that asks tries a socket again: what was in its way may be gone. */
const TRY_SOCKETS_EVERY_MS = 300_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export type Liveness = {
  /** When the newest frame or answer came; undefined = none has. */
  readonly heardMs: number | undefined;
  /** Sockets in a row that closed before they gave a frame. */
  readonly failedSockets: number;
  /** When the newest of them failed; undefined = none has, or it no longer counts. */
  readonly socketFailedMs: number | undefined;
  /** Tries in a row, of any kind, that gave nothing. */
  readonly failures: number;
};

export const START: Liveness = { heardMs: undefined, failedSockets: 0, socketFailedMs: undefined, failures: 0 };

/** `by` = a frame of a socket proves that sockets work here. */
export const heard = (state: Liveness, by: 'socket' | 'request', nowMs: number): Liveness => ({
  ...state,
  heardMs: nowMs,
  failures: 0,
  failedSockets: by === 'socket' ? 0 : state.failedSockets,
});

export const failed = (state: Liveness, what: 'socket' | 'request', nowMs: number): Liveness => ({
  ...state,
  failures: state.failures + 1,
  ...(what === 'socket' && { failedSockets: state.failedSockets + 1, socketFailedMs: nowMs }),
});

/** Something between page and service lets no sockets through. */
export const isBlocked = ({ failedSockets }: Liveness): boolean => failedSockets >= MOST_FAILED_SOCKETS;

/** Whether the next news is to come by a socket; if not, by a question. */
export const mayTrySocket = (state: Liveness, nowMs: number): boolean =>
  !isBlocked(state) || state.socketFailedMs === undefined || nowMs - state.socketFailedMs >= TRY_SOCKETS_EVERY_MS;

/** The way to the service may be another one now, so a socket is worth a try. */
export const tryAnew = (state: Liveness): Liveness => ({ ...state, socketFailedMs: undefined });

/** `random` = 0 to 1: pages that lost the same service do not all come back at once. */
export function pauseMs({ failures }: Liveness, random: number): number {
  const most = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1));
  return most * (0.5 + random / 2);
}

export type Freshness =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'live' }
  /** Each few seconds, because sockets do not get through. */
  | { readonly kind: 'asking' }
  | { readonly kind: 'lost'; readonly sinceMs: number };

export function freshnessOf(state: Liveness, askEveryMs: number, nowMs: number): Freshness {
  const { heardMs } = state;
  if (heardMs === undefined) return { kind: 'waiting' };
  const isAsking = isBlocked(state);
  const silentMs = isAsking ? askEveryMs + SILENT_MS : SILENT_MS;
  if (nowMs - heardMs > silentMs) return { kind: 'lost', sinceMs: heardMs };
  return { kind: isAsking ? 'asking' : 'live' };
}

// The host of an update, and the proof of a version: it reports ready, its interface answers, and it stays so without a
// restart.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';

/** As the service manager tells it. */
export type UnitState = {
  /** `active`, `activating`, `inactive`, `failed` … */
  readonly active: string;
  /** `running`, `auto-restart`, `dead` … */
  readonly sub: string;
  /** Since it was started by a command. */
  readonly restarts: number;
  /** 0 = none. */
  readonly pid: number;
};

export type RefusedDriver = { readonly origin: string; readonly reason: string };

/**
 * What an update needs of the host: the service, its databases, programs to try. Injected, so that a test can play
 * every fault.
 */
export type UpdateHost = {
  /** Starts the service and forgets its earlier failures; does not wait until it is ready. */
  start(): Promise<void>;
  /** Resolves when its process is gone. */
  stop(): Promise<void>;
  unit(): Promise<UnitState>;
  /** Whether the service's own interface can take requests; undefined where it runs none. */
  isServing(): Promise<boolean | undefined>;
  /**
   * Starts the program alone: it must report this version and that all its parts work on this host. Throws with what it
   * did instead.
   */
  tryProgram(path: string, version: string): Promise<void>;
  /** Drivers of the host's own that the program at this path refuses, each with its reason. Absent = there are none. */
  refusedDrivers?(path: string): Promise<readonly RefusedDriver[]>;
  /** Copies the databases of the stopped service. Throws when there is no whole copy. */
  saveDatabases(): Promise<void>;
  /** Puts the copies back if the databases were changed to what the version before cannot read. */
  restoreDatabases(): Promise<void>;
};

export type Patience = {
  /** Until it must be ready. */
  readonly readyMs: number;
  /** How long it must stay so. */
  readonly stableMs: number;
};

/**
 * With these limits the old version is back within 120 s of the start of a broken one, stop (20 s at most) and start
 * included.
 */
export const PATIENCE: Patience = { readyMs: 45_000, stableMs: 20_000 };

const LOOK_EVERY_MS = 500;
/** An interface may be busy for a moment. */
const LAST_ANSWER_MS = 5_000;

/** Throws PeerError that says what is wrong as soon as it is clear. */
export async function watchHealthy(
  host: Pick<UpdateHost, 'unit' | 'isServing'>,
  clock: Clock,
  { readyMs, stableMs }: Patience,
): Promise<void> {
  const { pid } = await waitUntilReady(host, clock, readyMs);
  const endsMs = clock.monotonicMs() + stableMs;
  while (clock.monotonicMs() < endsMs) {
    await clock.sleep(LOOK_EVERY_MS);
    const state = await host.unit();
    mustRun(state);
    if (state.active !== 'active') throw unhealthy(`it became ${state.active} (${state.sub}) after it was ready`);
    if (state.pid !== pid) throw unhealthy('its process was replaced after it was ready');
  }
  const answersMs = clock.monotonicMs() + LAST_ANSWER_MS;
  while ((await host.isServing()) === false) {
    if (clock.monotonicMs() >= answersMs) throw unhealthy('its interface stopped answering');
    await clock.sleep(LOOK_EVERY_MS);
  }
}

async function waitUntilReady(
  host: Pick<UpdateHost, 'unit' | 'isServing'>,
  clock: Clock,
  readyMs: number,
): Promise<UnitState> {
  const endsMs = clock.monotonicMs() + readyMs;
  for (;;) {
    const state = await host.unit();
    mustRun(state);
    const isReady = state.active === 'active' && state.sub === 'running';
    if (isReady && (await host.isServing()) !== false) return state;
    if (clock.monotonicMs() >= endsMs) {
      const what = isReady ? 'its interface does not answer' : `it is ${state.active} (${state.sub})`;
      throw unhealthy(`not ready after ${readyMs / 1_000} s: ${what}`);
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
}

function mustRun({ active, sub, restarts }: UnitState): void {
  if (active === 'failed') throw unhealthy('it ended with an error and is not started again');
  if (sub === 'auto-restart' || restarts > 0) throw unhealthy('it ended and had to be restarted');
}

const unhealthy = (why: string) => new PeerError('peer.rejected', why, 'never');

// Keeps locked pools: when two readings in a row show others, a command to set them again goes through the task queue.
// It does so within limits, and raises a flag when it gives up. It sends nothing to miners itself.
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CancelledError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { decimal, whole } from '../../base/settings.ts';
import { withoutLogin } from '../../model/plain-text.ts';
import { literally } from '../../model/pools/worker-template.ts';
import type { Reading } from '../../model/reading.ts';
import type { Awaitable } from '../../transport/request.ts';
import { type DesiredPools, type DesiredPoolsStore, type PoolList, poolListSchema } from './desired-pools.ts';
import { afterAttempt, restoreVerdict } from './restore.ts';

export const poolLockSettingsSchema = z
  .strictObject({
    tries: whole(
      1,
      100,
      3,
      'Attempts in a row to set locked pools again. Then the agent gives up and raises the flag `pool`.',
    ),
    dailyCap: whole(1, 1_000, 6, 'Pool updates of one miner in 24 hours, over all who ask; then the lock rests.'),
    retryS: decimal(1, 3_600, 60, 'Seconds before the attempt after a failed one; they double with each attempt.'),
  })
  .prefault({});

export type PoolEvent = {
  readonly type: 'pools_changed' | 'pools_restored' | 'pools_not_restored';
  readonly key: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

type PoolGuardParts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: () => z.output<typeof poolLockSettingsSchema>;
  readonly desiredPools: DesiredPoolsStore;
  /** Whether the reading shows these pools; undefined = the reading, or the miner's family, does not show pools. */
  shows(key: string, reading: Reading, params: { readonly pools: PoolList }): Awaitable<boolean | undefined>;
  /** Why nothing may be set here now, for people; undefined = it may. */
  refusal(): string | undefined;
  /** A task about the miner waits or runs: its pools may be about to change. */
  isBusy(key: string): boolean;
  updatesSince(key: string, sinceMs: number): number;
  /** Through the task queue; resolves with how it ended. */
  update(
    key: string,
    params: { readonly pools: PoolList },
  ): Promise<{ readonly status: string; readonly message: string | null }>;
  /** For the audit log of what the agent did by itself. */
  audit(event: PoolEvent): void;
};

const DAY_MS = 24 * 3_600_000;
/** The first reading may have been on its way when a task ended. */
const MISMATCHES = 2;
/** Of all miners; the others wait for their next poll. Tasks of people must find capacity in the queue. */
const MAX_AT_ONCE = 20;

export class PoolGuard {
  readonly #parts: PoolGuardParts;
  readonly #locked: Set<string>;
  readonly #mismatches = new Map<string, number>();
  readonly #restoring = new Set<string>();
  readonly #troubles = new Map<string, string>();

  constructor(parts: PoolGuardParts) {
    this.#parts = parts;
    this.#locked = new Set(parts.desiredPools.locked());
  }

  /** An update was carried out: its params name the pools that the miner shall have. */
  setDesired(key: string, params: unknown): void {
    const pools = poolListSchema.safeParse(params).data;
    if (pools === undefined) return;
    this.#parts.desiredPools.set(key, { pools, isLocked: this.#locked.has(key), failures: 0, nextMs: 0 });
    this.#forget(key);
  }

  desiredFor(key: string): DesiredPools | undefined {
    return this.#parts.desiredPools.get(key);
  }

  lock(key: string): void {
    const desired = this.desiredFor(key);
    if (desired === undefined) return;
    this.#parts.desiredPools.set(key, { ...desired, isLocked: true, failures: 0, nextMs: 0 });
    this.#locked.add(key);
    this.#forget(key);
  }

  /** False when it was not locked. */
  unlock(key: string): boolean {
    const desired = this.desiredFor(key);
    const wasLocked = this.#locked.delete(key);
    this.#forget(key);
    if (desired !== undefined)
      this.#parts.desiredPools.set(key, { ...desired, isLocked: false, failures: 0, nextMs: 0 });
    return wasLocked;
  }

  /** Of each poll that was answered. */
  onReading(key: string, reading: Reading): void {
    if (!this.#locked.has(key) || this.#restoring.has(key)) return;
    const desired = this.desiredFor(key);
    if (desired === undefined) {
      const trouble = 'the locked pools cannot be read with the key in use: set them again, then lock them';
      this.#troubles.set(key, trouble);
      return;
    }
    const shown = this.#parts.shows(key, reading, { pools: desired.pools });
    if (shown instanceof Promise) {
      shown.then(
        (isShown) => this.#locked.has(key) && !this.#restoring.has(key) && this.#take(key, desired, reading, isShown),
        // A driver that breaks shows nothing; its log line is written where it broke.
        () => {},
      );
    } else this.#take(key, desired, reading, shown);
  }

  #take(key: string, desired: DesiredPools, reading: Reading, isShown: boolean | undefined): void {
    if (isShown === undefined) return;
    if (isShown) {
      this.#forget(key);
      if (desired.failures > 0) this.#parts.desiredPools.set(key, { ...desired, failures: 0, nextMs: 0 });
    } else if (this.#parts.isBusy(key)) this.#mismatches.delete(key);
    else this.#onMismatch(key, desired, reading);
  }

  /** Why the lock of this miner does not hold, for people; undefined = it holds, or there is none. */
  trouble(key: string): string | undefined {
    return this.#troubles.get(key);
  }

  /** Passwords of pools, which must not be seen in what the miner writes. */
  secretsOf(key: string): string[] {
    return (this.desiredFor(key)?.pools ?? []).flatMap(({ password }) => password ?? []);
  }

  #forget(key: string): void {
    this.#mismatches.delete(key);
    this.#troubles.delete(key);
  }

  #onMismatch(key: string, desired: DesiredPools, reading: Reading): void {
    const seen = (this.#mismatches.get(key) ?? 0) + 1;
    this.#mismatches.set(key, seen);
    if (seen < MISMATCHES) return;
    const nowMs = this.#parts.clock.elapsedMs();
    const verdict = restoreVerdict({
      ...{ desired, nowMs, settings: this.#parts.settings(), refusal: this.#parts.refusal() },
      updatesToday: this.#parts.updatesSince(key, nowMs - DAY_MS),
    });
    if (typeof verdict === 'object') this.#troubles.set(key, verdict.trouble);
    else if (verdict === 'restore' && this.#restoring.size < MAX_AT_ONCE) {
      this.#forget(key);
      this.#restoring.add(key);
      void this.#restore(key, desired, reading).finally(() => this.#restoring.delete(key));
    }
  }

  async #restore(key: string, desired: DesiredPools, reading: Reading): Promise<void> {
    const { clock, log, settings, desiredPools, audit } = this.#parts;
    const from = shownPools(reading);
    const attempt = desired.failures + 1;
    log.warn({ miner: key, from, attempt }, 'locked pools were changed: they are set again');
    try {
      audit({ type: 'pools_changed', key, detail: { from, wanted: desired.pools.map(named), attempt } });
      const { status, message } = await this.#parts.update(key, { pools: desired.pools.map(asTheyAre) });
      // A person may have unlocked it meanwhile, or set other pools.
      const now = desiredPools.get(key);
      if (now === undefined || !now.isLocked) return;
      const after = afterAttempt(now, status === 'succeeded', settings(), clock.elapsedMs());
      desiredPools.set(key, after);
      const { failures } = after;
      const isGivenUp = failures >= settings().tries;
      if (failures === 0) audit({ type: 'pools_restored', key, detail: { pools: now.pools.map(named) } });
      else audit({ type: 'pools_not_restored', key, detail: { status, message, failures, isGivenUp } });
      if (isGivenUp) log.error({ miner: key, failures, message }, 'locked pools could not be set again: given up');
    } catch (error) {
      if (!(error instanceof CancelledError)) log.error({ miner: key, cause: renderError(error) }, 'keep locked pools');
    }
  }
}

/** They were filled in when they were set: a brace in them is no template any more. */
const asTheyAre = (pool: PoolList[number]) => ({ ...pool, user: literally(pool.user) });
const named = ({ url, user }: { readonly url: string; readonly user: string }) => ({ url: withoutLogin(url), user });
const shownPools = ({ pools = [] }: Reading) => pools.map(named);

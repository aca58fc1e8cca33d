// Keeps locked pools: when readings show others, an order to set the wanted ones goes through the gate of all tasks, no faster and no more often than
// is good, and is given up with a flag when it does not hold. It sends nothing itself and believes one odd reading never.
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CancelledError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { decimal, whole } from '../../base/settings.ts';
import { withoutLogin } from '../../model/plain-text.ts';
import type { Reading } from '../../model/reading.ts';
import { type DesiredPools, type DesiredPoolsStore, type PoolList, poolListSchema } from './desired-pools.ts';

export const poolLockSettingsSchema = z
  .strictObject({
    tries: whole(
      1,
      100,
      3,
      'Attempts in a row to set locked pools again. Then the agent gives up and raises the flag `pool`.',
    ),
    dailyCap: whole(1, 1_000, 6, 'Updates of the pools of one miner in 24 hours, whoever asked; then the lock rests.'),
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
  /** Whether the reading shows these pools; undefined = it cannot tell, or the miner's family cannot. */
  shows(key: string, reading: Reading, params: { readonly pools: PoolList }): boolean | undefined;
  /** Why nothing may be set here now, in words; undefined = it may. */
  refusal(): string | undefined;
  /** A task about the miner waits or runs: what it shows is not settled. */
  isBusy(key: string): boolean;
  updatesSince(key: string, sinceMs: number): number;
  /** Through the gate; resolves with how it ended. */
  update(
    key: string,
    params: { readonly pools: PoolList },
  ): Promise<{ readonly status: string; readonly message: string | null }>;
  /** For the record of what was done unasked. */
  audit(event: PoolEvent): void;
};

const DAY_MS = 24 * 3_600_000;
const LONGEST_PAUSE_S = 3_600;
/** The first may be a reading that was on its way when a task ended. */
const MISMATCHES = 2;
/** Of all miners; the others are seen again with their next poll. Tasks of people must find places in the gate. */
const MAX_AT_ONCE = 20;

export type PoolGuard = ReturnType<typeof createPoolGuard>;

export function createPoolGuard(parts: PoolGuardParts) {
  const { clock, log, settings, desiredPools, audit } = parts;
  const locked = new Set(desiredPools.locked());
  const mismatches = new Map<string, number>();
  const underWay = new Set<string>();
  const troubles = new Map<string, string>();

  const forget = (key: string) => {
    mismatches.delete(key);
    troubles.delete(key);
  };

  const restore = async (key: string, desired: DesiredPools, reading: Reading) => {
    const from = shownPools(reading);
    const attempt = desired.failures + 1;
    log.warn({ miner: key, from, attempt }, 'locked pools were changed: they are set again');
    try {
      audit({ type: 'pools_changed', key, detail: { from, wanted: desired.pools.map(named), attempt } });
      const { status, message } = await parts.update(key, { pools: desired.pools });
      // It may have been unlocked, or wanted otherwise, meanwhile.
      const now = desiredPools.get(key);
      if (now === undefined || !now.isLocked) return;
      const failures = status === 'succeeded' ? 0 : now.failures + 1;
      const pauseS = Math.min(LONGEST_PAUSE_S, settings().retryS * 2 ** Math.max(0, failures - 1));
      desiredPools.set(key, { ...now, failures, nextMs: Math.round(clock.elapsedMs() + pauseS * 1_000) });
      const isGivenUp = failures >= settings().tries;
      if (failures === 0) audit({ type: 'pools_restored', key, detail: { pools: now.pools.map(named) } });
      else audit({ type: 'pools_not_restored', key, detail: { status, message, failures, isGivenUp } });
      if (isGivenUp) log.error({ miner: key, failures, message }, 'locked pools could not be set again: given up');
    } catch (error) {
      if (!(error instanceof CancelledError)) log.error({ miner: key, cause: renderError(error) }, 'keep locked pools');
    }
  };

  return {
    /** An update was carried out: these are the pools that the miner shall have, as its params wrote them. */
    wanted(key: string, ordered: unknown): void {
      const pools = poolListSchema.safeParse(ordered).data;
      if (pools === undefined) return;
      desiredPools.set(key, { pools, isLocked: locked.has(key), failures: 0, nextMs: 0 });
      forget(key);
    },
    desiredFor: desiredPools.get,
    lock(key: string): void {
      const desired = desiredPools.get(key);
      if (desired === undefined) return;
      desiredPools.set(key, { ...desired, isLocked: true, failures: 0, nextMs: 0 });
      locked.add(key);
      forget(key);
    },
    /** False when it was not locked. */
    unlock(key: string): boolean {
      const desired = desiredPools.get(key);
      const was = locked.delete(key);
      forget(key);
      if (desired !== undefined) desiredPools.set(key, { ...desired, isLocked: false, failures: 0, nextMs: 0 });
      return was;
    },
    /** Of each poll that was answered. */
    onReading(key: string, reading: Reading): void {
      if (!locked.has(key) || underWay.has(key)) return;
      const desired = desiredPools.get(key);
      if (desired === undefined) {
        troubles.set(key, 'the locked pools cannot be read with the key in use: set them again, then lock them');
        return;
      }
      const shown = parts.shows(key, reading, { pools: desired.pools });
      if (shown === undefined) return;
      if (shown) {
        forget(key);
        if (desired.failures > 0) desiredPools.set(key, { ...desired, failures: 0, nextMs: 0 });
        return;
      }
      if (parts.isBusy(key)) return void mismatches.delete(key);
      const seen = (mismatches.get(key) ?? 0) + 1;
      mismatches.set(key, seen);
      if (seen < MISMATCHES) return;
      const { tries, dailyCap } = settings();
      const nowMs = clock.elapsedMs();
      const refusal = parts.refusal();
      if (refusal !== undefined) {
        troubles.set(key, `the locked pools are others now, and are not set again: ${refusal}`);
      } else if (desired.failures >= tries) {
        troubles.set(key, `the locked pools could not be set again in ${desired.failures} attempts`);
      } else if (parts.updatesSince(key, nowMs - DAY_MS) >= dailyCap) {
        troubles.set(key, `the locked pools were set ${dailyCap} times in 24 hours, and are others again`);
      } else if (nowMs >= desired.nextMs && underWay.size < MAX_AT_ONCE) {
        troubles.delete(key);
        mismatches.delete(key);
        underWay.add(key);
        void restore(key, desired, reading).finally(() => underWay.delete(key));
      }
    },
    /** Why the lock of this miner does not hold, in words; undefined = it is kept, or there is none. */
    trouble: (key: string): string | undefined => troubles.get(key),
    /** Words that must not be seen in what the miner writes. */
    secretsOf: (key: string): string[] =>
      (desiredPools.get(key)?.pools ?? []).flatMap(({ password }) => password ?? []),
  };
}

const named = ({ url, user }: { readonly url: string; readonly user: string }) => ({ url: withoutLogin(url), user });
const shownPools = ({ pools = [] }: Reading) => pools.map(named);

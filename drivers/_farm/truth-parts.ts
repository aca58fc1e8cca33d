// Parts of the truth that most families tell in the same way: who the device is, its fans, and what of its pools is
// counted.
import type { PoolSetting, SimDevice } from './device.ts';
import type { PoolTruth, Truth } from './truth.ts';

export const whoIs = (
  { ip, driver, family, mac }: SimDevice,
  { make, model }: { readonly make: string; readonly model: string },
): Pick<Truth, 'ip' | 'driver' | 'family' | 'make' | 'model' | 'mac'> => ({ ip, driver, family, make, model, mac });

export const turning = (fansRpm: readonly number[]): Truth['fans'] => fansRpm.map((rpm, index) => ({ index, rpm }));

/** Pools whose shares are not told. */
export const uncounted = (pools: readonly Pick<PoolSetting, 'url' | 'user'>[]): PoolTruth[] =>
  pools.map(({ url, user }) => ({
    url,
    worker_id: user,
    difficulty_accepted: null,
    difficulty_rejected: null,
    difficulty_stale: null,
  }));

type Counted = Pick<PoolSetting, 'url' | 'user'> & {
  readonly accepted: number;
  readonly rejected: number;
  readonly stale: number;
  readonly difficulty: number;
};

/** Places without a pool are not told. */
export const counted = (pools: readonly Counted[]): PoolTruth[] =>
  pools
    .filter(({ url }) => url !== '')
    .map(({ url, user, accepted, rejected, stale, difficulty }) => ({
      url,
      worker_id: user,
      difficulty_accepted: accepted * difficulty,
      difficulty_rejected: rejected * difficulty,
      difficulty_stale: stale * difficulty,
    }));

const NO_SHARES = { accepted: 0, rejected: 0, stale: 0, difficulty: 0 };

/** The pools that are set: all shares are the first one's. */
export const firstCounted = (device: SimDevice): PoolTruth[] =>
  counted(
    device.settings.pools.map(({ url, user }, index) => ({
      url,
      user,
      ...(index === 0 ? device.shares() : NO_SHARES),
    })),
  );

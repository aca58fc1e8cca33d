// What the public API of Braiins OS changes, by whichever face it was told: what it takes, what it refuses and in which
// words.
import type { PoolSetting, SimDevice } from '../_farm/device.ts';
import { isRecord } from '../_farm/servers/cgminer-api.ts';
import type { BraiinsModel } from './farm.data.ts';

/** Out of sleep; a machine that is awake does not notice. */
export function wake(device: SimDevice): void {
  if (device.settings.mode !== 'sleep') return;
  device.setMode('normal');
  device.restart();
}

export const powerLimits = ({ powerW }: BraiinsModel) => ({
  default: { watt: powerW },
  min: { watt: Math.ceil(powerW * 0.3) },
  max: { watt: Math.floor(powerW * 1.5) },
});

/** Why this cannot be the power target; undefined = it can. */
export function powerTargetProblem(
  model: BraiinsModel,
  watt: unknown,
): { readonly why: 'no-tuner' | 'range'; readonly says: string } | undefined {
  if (!model.isTuned) return { why: 'no-tuner', says: 'Tuner is disabled' };
  const { min, max } = powerLimits(model);
  if (typeof watt === 'number' && watt >= min.watt && watt <= max.watt) return undefined;
  return { why: 'range', says: `Power target ${String(watt)} W is out of range` };
}

/** The pools of the first group; undefined when there is none, or one that is no pool. */
export function poolsOf(groups: readonly unknown[]): readonly PoolSetting[] | undefined {
  const [group] = groups;
  const pools = isRecord(group) && Array.isArray(group.pools) ? group.pools : [];
  const found = pools.flatMap((pool: unknown) =>
    isRecord(pool) && typeof pool.url === 'string' && typeof pool.user === 'string' && pool.url.startsWith('stratum')
      ? [{ url: pool.url, user: pool.user, pass: String(pool.password ?? '') }]
      : [],
  );
  return found.length > 0 && found.length === pools.length ? found : undefined;
}

// The saved sets of pools of a farm, as the service has them.
import type { PoolSetItem } from '../../../wire/api/farm/pool-sets.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';

const EVERY_MS = 10_000;
/** A farm has no more. */
const MOST = 100;

export const poolSetPath = (name: string): string => `pool-sets/${encodeURIComponent(name)}`;

export const usePoolSets = () =>
  useAsked<Answer<readonly PoolSetItem[]>>(farmPath(useFarm().ref, `pool-sets?page_size=${MOST}`), EVERY_MS);

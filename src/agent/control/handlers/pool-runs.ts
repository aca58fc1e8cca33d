// Pools that people of this host ask for: what each miner would get, and the refusal of what some of them cannot get,
// before anything is sent. It sends nothing.
import { RefusedError } from '../../../base/errors.ts';
import { requestedPoolsSchema } from '../../../model/pools/requested-pools.ts';
import { lackingText, type PoolFacts, previewWorkers } from '../../../model/pools/resolve-pools.ts';
import { placeOf } from '../../tasks/execution/fill-params.ts';
import type { Preview, RunRequest } from '../messages.ts';

type Miner = { readonly key: string; readonly ip: string };
type Request = Pick<RunRequest, 'name' | 'params' | 'locations'>;

export function createPoolRuns(factsOf: (key: string) => PoolFacts | undefined) {
  const known = ({ locations }: Request, miners: readonly Miner[]): PoolFacts[] =>
    miners.flatMap(({ key, ip }) => {
      const facts = factsOf(key);
      return facts === undefined ? [] : { ...facts, ...placeOf(locations?.[ip]) };
    });
  return {
    /** Nothing where the request is about no pools. */
    preview(request: Request, miners: readonly Miner[]): Pick<Preview, 'pools_preview' | 'pools_refusal'> {
      const pools = poolsOf(request);
      if (pools === undefined) return {};
      const facts = known(request, miners);
      const refusal = lackingText(pools, facts);
      return {
        pools_preview: [...previewWorkers(pools, facts)],
        ...(refusal === undefined ? {} : { pools_refusal: refusal }),
      };
    },
    /** Throws RefusedError when a miner lacks what they need. One that was not read yet is left to its task. */
    mustFit(request: Request, miners: readonly Miner[]): void {
      const pools = poolsOf(request);
      const refusal = pools && lackingText(pools, known(request, miners));
      if (refusal !== undefined) throw new RefusedError('run.pools', `${request.name}: ${refusal}; nothing was sent`);
    },
    /** The params of one miner: with its location, where that was given. */
    paramsOf: ({ name, params, locations }: RunRequest, { ip }: Miner): RunRequest['params'] =>
      name === POOL_UPDATE && locations?.[ip] !== undefined ? { ...params, location: locations[ip] } : params,
  };
}

const POOL_UPDATE = 'miner.pool.update';

const poolsOf = ({ name, params }: Request) =>
  name === POOL_UPDATE ? requestedPoolsSchema.safeParse(params.pools).data : undefined;

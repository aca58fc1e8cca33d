// What the agent knows of a miner whose pools are to be set. It sends nothing.
import type { PoolFacts } from '../../model/pools/resolve-pools.ts';
import type { Reading } from '../../model/reading.ts';
import type { MinerState } from '../fleet/miner-state.ts';

type Known = Pick<MinerState, 'target' | 'reading' | 'reported'>;

/** `set` = the pools that it was given last. Undefined for a miner that has not been read yet. */
export function poolFactsOf(miner: Known | undefined, set: PoolFacts['set']): PoolFacts | undefined {
  const { target, reading, reported } = miner ?? {};
  if (target === undefined || reported === undefined) return undefined;
  const { mac, serial_number, model, pools } = reported.document;
  return {
    ip: target.ip,
    mac: mac === '' ? undefined : mac,
    serial: serial_number ?? undefined,
    model: model ?? undefined,
    shown: reading ? shownPools(reading) : pools.map(({ url, worker_id: user }) => ({ url, user })),
    set,
  };
}

/** Best first. */
export const shownPools = ({ pools = [] }: Pick<Reading, 'pools'>): PoolFacts['shown'] =>
  pools.toSorted((a, b) => a.index - b.index).map(({ url, user, isActive }) => ({ url, user, isActive }));

// Makes the targets of visits: a miner with its driver and an empty memory.
import type { Identity, Known } from '../../driver/contract.ts';
import type { LoadedDriver } from '../../driver/load/loaded-driver.ts';
import { VisitMemory } from '../../driver/visit/memory.ts';
import type { MinerTarget } from './logins.ts';

/** Multiples of it fall evenly between 0 and 1, however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export type NewTarget = (ip: string, driver: LoadedDriver, known: Known) => MinerTarget;

/**
 * Memories of one maker have phases that are spread evenly: seldom questions of many miners do not fall due together.
 */
export function targetMaker(): NewTarget {
  let made = 0;
  return (ip, driver, known) => ({ ip, driver, known, memory: new VisitMemory((made++ * GOLDEN) % 1) });
}

export const knownFrom = ({ generation, make, model }: Identity): Known => ({
  ...(generation !== undefined && { generation }),
  ...(make !== undefined && { make }),
  ...(model !== undefined && { model }),
});

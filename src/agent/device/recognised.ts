// What became of asking an address who it is. Types, and what follows from them.
import type { Evidence, Identity } from '../../driver/contract.ts';
import type { VisitOutcome } from '../../driver/visit/visit.ts';
import type { MinerTarget } from './logins.ts';

type Known = { readonly target: MinerTarget; readonly identity: Identity; readonly evidence: Evidence };

/** A miner of this farm. `outcome` is absent when it was read a moment ago, or answered no ask of the visit. */
export type RecognisedMiner = Known & {
  readonly status: 'identified' | 'login_refused';
  readonly outcome?: VisitOutcome;
};

/** `likely` = a hint and no proof: it was asked nothing more. `target` is what would read it. */
type NoMiner = (Known & { readonly status: 'likely' }) | { readonly status: 'unknown'; readonly evidence: Evidence };

export type Recognised = RecognisedMiner | NoMiner;

export const isMiner = (found: Recognised): found is RecognisedMiner =>
  found.status === 'identified' || found.status === 'login_refused';

/** Why there is no miner of this farm at an address, and what a person can do. */
export function noMiner(ip: string, found: NoMiner): string {
  if (found.status === 'unknown') return 'no miner that we know answers there';
  const { id } = found.target.driver;
  return `it looks like ${id} and gives no proof: pithead trust accept ${ip} --as ${id}`;
}

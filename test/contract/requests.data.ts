// The most requests that a poll of each family may cost, as measured at the simulated device (`npm run bench -- requests`) with a tenth on top.
// Fewer is better: lower the row. More needs a reason: small web servers of control boards stumble over them.

export type RequestCeiling = {
  /** Per poll, on average of an hour. */
  readonly mean: number;
  /** What an ordinary poll should cost, where nothing seldom is due (atlas 24.3); absent = nothing is known. */
  readonly target?: number;
};

export const REQUEST_CEILINGS: Readonly<Record<string, RequestCeiling>> = {
  'antminer-a': { mean: 2.2, target: 5 },
  'antminer-b': { mean: 2.2, target: 5 },
  'antminer-c': { mean: 2.9, target: 5 },
  'antminer-other': { mean: 2.3, target: 5 },
  auradine: { mean: 6.9, target: 7 },
  'avalon-a': { mean: 1.5, target: 2 },
  'avalon-home': { mean: 1.5, target: 2 },
  bitaxe: { mean: 1, target: 1 },
  luckyminer: { mean: 1, target: 1 },
  nerdaxe: { mean: 1, target: 1 },
  blackminer: { mean: 2 },
  'braiins-graphql': { mean: 5.7, target: 3 },
  'braiins-rest': { mean: 5.8, target: 6 },
  'braiins-tcp': { mean: 5.7 },
  cgminer: { mean: 3.7 },
  elphapex: { mean: 3.2 },
  epic: { mean: 2.7, target: 2 },
  futurebit: { mean: 1.3 },
  goldshell: { mean: 1.6 },
  hammer: { mean: 2 },
  hiveon: { mean: 2.5 },
  iceriver: { mean: 1.4 },
  innosilicon: { mean: 3 },
  luxos: { mean: 6.6, target: 6 },
  mara: { mean: 4.2, target: 4 },
  mskminer: { mean: 1.6 },
  proto: { mean: 4.4 },
  sealminer: { mean: 1.7 },
  vnish: { mean: 3, target: 2 },
  volcminer: { mean: 1.3 },
  'whatsminer-2': { mean: 3.5, target: 4 },
  'whatsminer-3': { mean: 2.7, target: 4 },
};

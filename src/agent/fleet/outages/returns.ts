// Which silent miners are worth a poll before their pause is over: what brings one miner of a dead network back brings
// the others back too. Pure: it keeps nothing and asks nothing.

/** The finding of each silent miner, by miner. */
type Silence = ReadonlyMap<string, string>;

type Now = { readonly silent: ReadonlySet<string>; readonly returned: ReadonlySet<string> };

/** Of those that were silent together, where one of them answers again: all that are still silent. */
export const othersOfReturned = (before: Silence, { silent, returned }: Now): string[] =>
  findingsIn(before).flatMap((miners) =>
    miners.some((key) => returned.has(key)) ? miners.filter((key) => silent.has(key)) : [],
  );

/** One miner of each finding, in each round another one. */
export const oneOfEach = (silence: Silence, round: number): string[] =>
  findingsIn(silence).flatMap((miners) => miners[round % miners.length] ?? []);

const findingsIn = (silence: Silence): string[][] => [
  ...Map.groupBy(silence.keys(), (minerKey) => silence.get(minerKey)).values(),
];

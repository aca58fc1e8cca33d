// Which of the agent's miners a person selects, by the words that every selector knows. Pure; it asks no miner.
import { RefusedError } from '../../base/errors.ts';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import { normaliseMac, normaliseSerial } from '../../model/identity-facts.ts';
import { parseSelector, type SelectableMiner, type Selector, select } from '../../model/selector/selector.ts';
import { lackingWord } from '../../wire/api/board/answer.ts';
import { LACKS } from '../../wire/api/board/messages.ts';

export type Named = {
  /** Each once: first those that are named one by one, in that order, then the others in the order of addresses. */
  readonly miners: readonly { readonly key: string; readonly ip: string }[];
  /** Names without a miner, and why. */
  readonly unknown: readonly { readonly name: string; readonly reason: string }[];
};

/**
 * `all` have the key of the agent for their id. Throws RefusedError for words that cannot be read, that need what only
 * a service keeps, and where there is no word: then no miner is meant.
 */
export function namedMiners(words: readonly string[], all: readonly SelectableMiner[], nowMs: number): Named {
  const read = parseSelector(words);
  if (read.kind === 'wrong') throw new RefusedError('select.wrong', read.problems.join('; '));
  const { selector } = read;
  if (selector.isEmpty) throw new RefusedError('select.wrong', 'no miner is named');
  const word = lackingWord(selector, LACKS);
  if (word !== undefined) throw lacking(word);
  const { miners, unmatched } = select(selector, all.toSorted(byAddress), nowMs);
  return {
    miners: asNamed(selector, miners).map(({ id, ip }) => ({ key: id, ip })),
    unknown: unmatched.map(({ text, reason }) => ({ name: text, reason })),
  };
}

export const lacking = (word: string) =>
  new RefusedError(
    'select.lacking',
    `${word}: the agent alone does not know containers, racks and maintenance; ask the service, with --server`,
  );

export const byAddress = (a: SelectableMiner, b: SelectableMiner) => (parseIpv4(a.ip) ?? 0) - (parseIpv4(b.ip) ?? 0);

function asNamed({ words }: Selector, miners: readonly SelectableMiner[]): readonly SelectableMiner[] {
  const values = words.flatMap(({ kind, values }) => (kind === 'who' ? values : []));
  const places = new Map<string, number>();
  for (const [place, value] of values.entries())
    for (const name of [value, normaliseMac(value) ?? value, normaliseSerial(value)])
      if (!places.has(name)) places.set(name, place);
  const placeOf = ({ id, ip, mac, hostname, serials, workers }: SelectableMiner) => {
    const names = [id, ip, mac ?? '', hostname ?? '', ...serials.map(normaliseSerial), ...workers];
    return Math.min(...names.map((name) => places.get(name) ?? values.length));
  };
  const placed = miners.map((miner) => ({ miner, place: placeOf(miner) }));
  return placed.toSorted((a, b) => a.place - b.place).map(({ miner }) => miner);
}

// Which miner of the farm a person means: by its id, MAC address, address or serial number, or by one text that is any
// of these. Facts that name different miners are refused. Pure; miners are shown by their address.
import { formatIpv4, parseIpv4 } from '../../base/net/ipv4.ts';
import { normaliseMac, normaliseSerial, serialState } from '../../model/identity-facts.ts';
import type { MinerLocation } from '../store/store.ts';

type Fact = 'id' | 'mac' | 'serial_number' | 'ip';
export type Facts = Readonly<Partial<Record<Fact, string>>>;

export type Named = MinerLocation | { readonly problem: string };

type Index = Readonly<Record<Fact, ReadonlyMap<string, readonly MinerLocation[]>>>;

export type MinerIndex = ReturnType<typeof indexMiners>;

export function indexMiners(miners: readonly MinerLocation[]) {
  const index: Index = {
    id: groupBy(miners, ({ id }) => [id]),
    mac: groupBy(miners, ({ mac }) => [mac]),
    serial_number: groupBy(miners, ({ serial, serials }) => [...new Set([serial, ...serials.split('\n')])]),
    ip: groupBy(miners, ({ ipNum }) => [formatIpv4(ipNum)]),
  };
  return {
    /** By facts that all must name the same miner. The address says nothing beside an id: it changes by itself. */
    byFacts: (facts: Facts): Named => byFacts(index, facts),
    byText: (text: string): Named => byText(index, text),
  };
}

function groupBy(miners: readonly MinerLocation[], keysOf: (miner: MinerLocation) => readonly string[]) {
  const groups = new Map<string, MinerLocation[]>();
  for (const miner of miners)
    for (const key of keysOf(miner)) {
      if (key === '') continue;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [miner]);
      else group.push(miner);
    }
  return groups;
}

/** The value as the index has it; undefined where it can be none. */
const KEYS = {
  id: (text: string) => text.toLowerCase(),
  mac: normaliseMac,
  serial_number: normaliseSerial,
  ip: (text: string) => (parseIpv4(text) === undefined ? undefined : text),
} as const satisfies Readonly<Record<Fact, (text: string) => string | undefined>>;

const WORDS = { id: 'id', mac: 'MAC address', serial_number: 'serial number', ip: 'address' } as const;
const FORMS = { mac: '12 hexadecimal digits', ip: 'such as 10.0.0.21' } as const;

const MAX_NAMED = 5;
const addressesOf = (miners: readonly MinerLocation[]): string => {
  const shown = miners.slice(0, MAX_NAMED).map(({ ipNum }) => formatIpv4(ipNum));
  return [...shown, ...(miners.length > MAX_NAMED ? [`${miners.length - MAX_NAMED} more`] : [])].join(', ');
};

function byFacts(index: Index, facts: Facts): Named {
  const given = (['id', 'mac', 'serial_number', 'ip'] as const).filter((fact) => isGiven(fact, facts[fact] ?? ''));
  const [first, ...others] = given.length > 1 && given[0] === 'id' ? given.filter((fact) => fact !== 'ip') : given;
  if (first === undefined) return { problem: 'names no miner' };
  let found = find(index, first, facts[first] ?? '');
  for (const fact of others) {
    if ('problem' in found) return found;
    const next = find(index, fact, facts[fact] ?? '');
    if ('problem' in next) return next;
    const both = found.filter((miner) => next.includes(miner));
    if (both.length === 0)
      return {
        problem: `the ${WORDS[first]} is that of ${addressesOf(found)}, the ${WORDS[fact]} that of ${addressesOf(next)}: they must name the same miner`,
      };
    found = both;
  }
  return 'problem' in found ? found : only(found, `the ${WORDS[first]} is`);
}

/** What stands in a cell for no serial number says nothing. */
const isGiven = (fact: Fact, text: string) => text !== '' && (fact !== 'serial_number' || serialState(text) === 'ok');

function find(index: Index, fact: Fact, text: string): readonly MinerLocation[] | { readonly problem: string } {
  const key = KEYS[fact](text);
  if (key === undefined)
    return { problem: `${WORDS[fact]}: received '${text}'${fact in FORMS ? `, accepted: ${formOf(fact)}` : ''}` };
  const found = index[fact].get(key);
  return found ?? { problem: `no miner of the farm has the ${WORDS[fact]} '${text}'` };
}

const formOf = (fact: Fact) => (fact === 'mac' || fact === 'ip' ? FORMS[fact] : '');

function byText(index: Index, text: string): Named {
  for (const fact of ['id', 'ip', 'mac', 'serial_number'] as const) {
    const found = index[fact].get(KEYS[fact](text.trim()) ?? '');
    if (found !== undefined) return only(found, `'${text}' is`);
  }
  return { problem: `no miner of the farm has the address, MAC address or serial number '${text}'` };
}

function only(found: readonly MinerLocation[], of: string): Named {
  const [miner, ...others] = found;
  if (miner === undefined) return { problem: 'names no miner' };
  return others.length === 0 ? miner : { problem: `${of} that of ${found.length} miners: ${addressesOf(found)}` };
}

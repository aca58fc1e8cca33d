// Which miners a person selects by address, range, MAC, serial number or key. Pure; it asks no miner.
import { type Ipv4Range, isInRange, parseIpv4, parseIpv4Range } from '../../base/net/ipv4.ts';
import { normaliseMac, normaliseSerial } from '../../model/identity-facts.ts';

type NameableMiner = {
  readonly key: string;
  readonly ip: string;
  readonly mac: string | null;
  readonly serialNumber: string | null;
};

export type Named = {
  /** Each once, in the order of the names. */
  readonly miners: readonly NameableMiner[];
  /** Names without a miner, as written, and why. */
  readonly unknown: readonly { readonly name: string; readonly reason: string }[];
};

/** A range selects all miners in it. A MAC or serial number that several miners show selects none. */
export function namedMiners(names: readonly string[], known: Iterable<NameableMiner>): Named {
  const all = [...known];
  const byIp = Map.groupBy(all, ({ ip }) => ip);
  const byMac = Map.groupBy(all, ({ mac }) => mac || null);
  const bySerial = Map.groupBy(all, ({ serialNumber }) => (serialNumber && normaliseSerial(serialNumber)) || null);
  const byKey = Map.groupBy(all, ({ key }) => key);
  const find = (name: string): readonly NameableMiner[] => {
    const range = parseIpv4Range(name);
    if (typeof range !== 'string') return range.form === 'single' ? (byIp.get(name.trim()) ?? []) : inRange(all, range);
    return byMac.get(normaliseMac(name) ?? '') ?? byKey.get(name.trim()) ?? bySerial.get(normaliseSerial(name)) ?? [];
  };
  const miners = new Set<NameableMiner>();
  const unknown: { name: string; reason: string }[] = [];
  for (const name of names) {
    const found = find(name);
    if (found.length === 0) unknown.push({ name, reason: 'the running agent knows no such miner' });
    else if (found.length > 1 && typeof parseIpv4Range(name) === 'string')
      unknown.push({
        name,
        reason: `several miners show it: ${found.map(({ ip }) => ip).join(', ')}; name one by address`,
      });
    else for (const miner of found) miners.add(miner);
  }
  return { miners: [...miners], unknown };
}

const inRange = (all: readonly NameableMiner[], range: Ipv4Range) =>
  all
    .flatMap((miner) => {
      const address = parseIpv4(miner.ip);
      return address !== undefined && isInRange(range, address) ? [{ miner, address }] : [];
    })
    .sort((a, b) => a.address - b.address)
    .map(({ miner }) => miner);

// Miners of one network that stopped answering at about the same time, as a dead switch or PDU makes them. Pure: it
// keeps nothing and asks nothing.
import { OFFLINE_SOURCE } from '../../../model/document.ts';
import { contactKeyOf, isManyOf, LEAST_MINERS, networkOf, networkOfKey } from '../../../model/findings/findings.ts';
import type { MinerRecord } from '../../../wire/records.ts';

/** A miner that does not answer, and since when; ms since the epoch. */
export type Silent = { readonly minerKey: string; readonly ip: string; readonly sinceMs: number };

/** When the miners of a finding fell silent: the first and the last of them, ms since the epoch. */
export type Spell = { readonly sinceMs: number; readonly untilMs: number };

/**
 * The finding of each silent miner that has one, by miner. `open` = contact findings so far: a miner that falls silent
 * within `gapMs` of one belongs to it, also when those that began it are back. `sizeOf` = how many miners a network
 * has.
 */
export function silentTogether(
  silent: Iterable<Silent>,
  open: ReadonlyMap<string, Spell>,
  { gapMs, sizeOf }: { readonly gapMs: number; sizeOf(network: string): number },
): Map<string, string> {
  const keys = new Map<string, string>();
  for (const [network, some] of Map.groupBy(silent, ({ ip }) => networkOf(ip))) {
    const openHere = [...open].filter(([key]) => networkOfKey(key) === network);
    if (openHere.length === 0 && some.length < LEAST_MINERS) continue;
    for (const spell of spellsOf(some, gapMs)) {
      const key = openHere.find(([, before]) => isNear(spell, before, gapMs))?.[0] ?? newKey(network, spell, sizeOf);
      if (key !== undefined) for (const { minerKey } of spell.members) keys.set(minerKey, key);
    }
  }
  return keys;
}

/** As last reported: it did not answer, together with others. What has restarted by then had its power cut. */
export const wasSilentTogether = (reported: Pick<MinerRecord, 'extras'> | undefined): boolean =>
  reported?.extras.flags.some(({ source, finding }) => source === OFFLINE_SOURCE && finding !== undefined) === true;

type Members = Spell & { readonly members: readonly Silent[] };

/** In order of time, cut where nothing fell silent for longer than `gapMs`. */
function spellsOf(silent: readonly Silent[], gapMs: number): Members[] {
  const spells: (Spell & { untilMs: number; members: Silent[] })[] = [];
  for (const miner of silent.toSorted((a, b) => a.sinceMs - b.sinceMs)) {
    const last = spells.at(-1);
    if (last === undefined || miner.sinceMs - last.untilMs > gapMs) {
      spells.push({ sinceMs: miner.sinceMs, untilMs: miner.sinceMs, members: [miner] });
    } else {
      last.untilMs = miner.sinceMs;
      last.members.push(miner);
    }
  }
  return spells;
}

const isNear = (a: Spell, b: Spell, gapMs: number): boolean =>
  a.sinceMs <= b.untilMs + gapMs && a.untilMs >= b.sinceMs - gapMs;

const newKey = (network: string, { members, sinceMs }: Members, sizeOf: (network: string) => number) =>
  isManyOf('contact', members.length, sizeOf(network)) ? contactKeyOf(network, sinceMs) : undefined;

// Where a miner stands, as texts: the label of a slot for people, and what a person writes for a rack and a position.
// It does not know which racks there are.
import { isVisible } from '../plain-text.ts';

/** A position is in a rack; null = in none, or at no position of it. */
export type Location = { readonly rack: string | null; readonly position: number | null };

export const MAX_POSITION = 1_000_000;
const MAX_NAME = 64;
export const NAME_RULE = `accepted: 1 to ${MAX_NAME} characters that can be seen, not beginning with an apostrophe`;

/**
 * Whether it can be the name of a rack or of a container. An apostrophe in front is what guards cells of a spreadsheet.
 */
export const isLocationName = (name: string): boolean =>
  name.length >= 1 && name.length <= MAX_NAME && name === name.trim() && !name.startsWith("'") && isVisible(name);

/** `C03-12`, of a miner without a position `C03`; undefined where it stands in no rack. */
export function locationLabel({ rack, position }: Location): string | undefined {
  if (rack === null) return undefined;
  return position === null ? rack : `${rack}-${position}`;
}

export const NOWHERE = 'no rack';

export const shownLocation = (location: Location): string => locationLabel(location) ?? NOWHERE;

/** `C03/12` or `C03`; undefined where the text is neither. The last slash parts them, so names may hold one. */
export function parseLocation(text: string): Location | undefined {
  const [, before, digits] = /^(.*?)\s*\/\s*(\d{1,7})$/.exec(text.trim()) ?? [];
  if (before === undefined || digits === undefined) {
    const rack = text.trim();
    return isLocationName(rack) ? { rack, position: null } : undefined;
  }
  const position = Number(digits);
  return isLocationName(before) && position >= 1 && position <= MAX_POSITION ? { rack: before, position } : undefined;
}

// Which of some names a person may have meant by one that does not exist. For short lists and short names.

const MOST_OFFERED = 3;

/**
 * At most three, the likeliest first: names that contain the text or are part of it, then names that differ by a few
 * letters.
 */
export function nearestNames(written: string, names: readonly string[]): string[] {
  const text = written.toLowerCase();
  const farthest = Math.max(2, Math.floor(text.length / 3));
  return names
    .map((name) => {
      const isPart = text.length >= 3 && (name.includes(text) || text.includes(name));
      return { name, distance: isPart ? 0 : editDistance(text, name) };
    })
    .filter(({ distance }) => distance <= farthest)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MOST_OFFERED)
    .map(({ name }) => name);
}

/** How many letters must be added, removed or changed to make one of the other. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const [change = 0, remove = 0, add = 0] = [row[j], row[j + 1], next[j]];
      next.push(Math.min(change + (letter === other ? 0 : 1), remove + 1, add + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

// How long a value that came as JSON is as JSON, without writing it. Characters that need escaping count as one.

/** `true`, `-1.5e+300`: what is neither a text nor holds others, at most about. */
const SCALAR = 8;
/** Nothing that is meant to be read is deeper, and few programs read it: it counts as longer than anything. */
const MAX_DEPTH = 64;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Counts no further than a little beyond `most`. */
export function jsonLength(value: unknown, most: number, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (!isObject(value)) return SCALAR;
  if (depth >= MAX_DEPTH) return Number.POSITIVE_INFINITY;
  let length = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      length += 1 + jsonLength(item, most - length, depth + 1);
      if (length > most) return length;
    }
    return length;
  }
  // Each record of each miner is counted: a list of its entries would cost several times as much.
  for (const name in value) {
    length += name.length + 4 + jsonLength(value[name], most - length, depth + 1);
    if (length > most) return length;
  }
  return length;
}

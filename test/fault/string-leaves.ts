// Every string of a value, and the value with one of them replaced.

/** The way to a string: names of fields and places in lists. */
export type Leaf = readonly (string | number)[];

export function leavesOf(value: unknown, way: Leaf = []): Leaf[] {
  if (typeof value === 'string') return [way];
  if (Array.isArray(value)) return value.flatMap((one, index) => leavesOf(one, [...way, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => leavesOf(one, [...way, name]));
}

export function withLeaf(value: unknown, [name, ...rest]: Leaf, text: string): unknown {
  if (name === undefined) return text;
  if (Array.isArray(value)) return value.map((one, index) => (index === name ? withLeaf(one, rest, text) : one));
  if (typeof value !== 'object' || value === null) return value;
  return { ...value, [name]: withLeaf(Reflect.get(value, name), rest, text) };
}

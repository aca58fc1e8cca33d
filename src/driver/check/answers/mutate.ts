// Damages answers in the ways that devices and networks do, reproducibly: the same seed gives the same damage.

export type Random = () => number;

/** mulberry32: small, seeded, good enough to choose damage. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const ODD_VALUES: readonly unknown[] = [
  null,
  '',
  ' ',
  'nan',
  '-nan',
  'inf',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -1,
  -273,
  1e308,
  -1e308,
  255,
  0.1,
  '1e999',
  '0x10',
  '99999999999999999999',
  true,
  false,
  {},
  [],
  [[]],
  'x'.repeat(5_000),
  '\u0000\u001b[31m',
  '<html>404</html>',
  '{"a":1}',
  { toString: 'no' },
  [null, undefined, ''],
];

const pick = <T>(random: Random, values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];

/** The answers with one to six places removed, replaced, doubled or moved. */
export function mutate(raw: Readonly<Record<string, unknown>>, random: Random): Record<string, unknown> {
  const copy = structuredClone(raw);
  const root: Record<string, unknown> = { ...copy };
  for (let times = 1 + Math.floor(random() * 6); times > 0; times--) damageOnce(root, random);
  return root;
}

function damageOnce(root: Record<string, unknown>, random: Random): void {
  let at: unknown = root;
  for (let depth = 0; depth < 8; depth++) {
    const keys: string[] = typeof at === 'object' && at !== null ? Object.keys(at) : [];
    const key = pick(random, keys);
    if (key === undefined || typeof at !== 'object' || at === null) return;
    const child: unknown = Reflect.get(at, key);
    const isDeeper = typeof child === 'object' && child !== null && random() < 0.75;
    if (!isDeeper) {
      damage(at, key, child, random);
      return;
    }
    at = child;
  }
}

function damage(parent: object, key: string, value: unknown, random: Random): void {
  switch (Math.floor(random() * 6)) {
    case 0:
      Reflect.deleteProperty(parent, key);
      return;
    case 1:
      Reflect.set(parent, key, typeof value === 'number' ? String(value) : [value]);
      return;
    case 2:
      Reflect.set(parent, key, typeof value === 'string' ? value.slice(0, Math.floor(random() * value.length)) : value);
      return;
    case 3:
      Reflect.set(parent, key, typeof value === 'number' ? value * 10 ** (Math.floor(random() * 30) - 6) : value);
      return;
    case 4:
      if (Array.isArray(parent)) parent.push(...Array.from({ length: 300 }, () => value));
      else Reflect.set(parent, `${key}2`, value);
      return;
    default:
      Reflect.set(parent, key, pick(random, ODD_VALUES));
  }
}

/** Every number of a value with its path, lists by position. */
export function numbersOf(value: unknown, path = ''): [string, number][] {
  if (typeof value === 'number') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => numbersOf(entry, path === '' ? key : `${path}.${key}`));
}

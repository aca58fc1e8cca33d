// Walks through answers of a device and puts something else in one place at a time.

export type Path = readonly (string | number)[];
export type Change = { readonly what: string; readonly raw: Readonly<Record<string, unknown>> };

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
export const isNumeric = (value: unknown) =>
  (typeof value === 'number' && value !== 0) ||
  (typeof value === 'string' && /^\d[\d.]*$/.test(value) && Number(value) !== 0);

/** Some firmwares write all that they know as one text: `Temp[30] Fan1[5344] GHSspd[81072.68]`. */
const TOKEN = /(\w+)\[([\d. ]*[1-9][\d. ]*)\]/g;
export const isTokens = (value: unknown) => typeof value === 'string' && value.search(TOKEN) >= 0;

/**
 * One change for each token and for each text that `instead` returns for it. `instead` gets the numbers of the token
 * and returns what replaces them; undefined = the token is left out.
 */
export function withTokens(
  raw: Readonly<Record<string, unknown>>,
  instead: (values: string) => readonly (readonly [what: string, values: string | undefined])[],
): Change[] {
  return pathsTo(raw, isTokens).flatMap((path) => {
    const written = String(valueAt(raw, path));
    return [...written.matchAll(TOKEN)].flatMap(({ 0: token, 1: name = '', 2: values = '', index }) =>
      instead(values).map(([what, text]) => {
        const other = text === undefined ? '' : `${name}[${text}]`;
        const rest = written.slice(index + token.length);
        return {
          what: `${path.join('.')} ${name}${what}`,
          raw: withChange(raw, path, written.slice(0, index) + other + rest),
        };
      }),
    );
  });
}

export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, key) => (isObject(at) ? Reflect.get(at, key) : undefined), value);

/** Of the hundreds of chips of a board a few stand for all. */
const MOST_ALIKE = 6;

export function pathsTo(value: unknown, isWanted: (value: unknown) => boolean, path: Path = []): Path[] {
  const here = path.length > 0 && isWanted(value) ? [path] : [];
  if (!isObject(value)) return here;
  const entries = Object.entries(value).slice(0, Array.isArray(value) ? MOST_ALIKE : undefined);
  return [...here, ...entries.flatMap(([key, entry]) => pathsTo(entry, isWanted, [...path, key]))];
}

export function withChange(raw: Readonly<Record<string, unknown>>, path: Path, instead: unknown) {
  const [ask = ''] = path;
  const copy: Record<string, unknown> = { ...raw, [ask]: structuredClone(raw[ask]) };
  let at: object = copy;
  for (const key of path.slice(0, -1)) {
    const next: unknown = Reflect.get(at, key);
    if (!isObject(next)) throw new Error(`no way to ${path.join('.')}`);
    at = next;
  }
  const last = path.at(-1) ?? '';
  Reflect.set(at, last, typeof Reflect.get(at, last) === 'string' && instead === 0 ? '0' : instead);
  return copy;
}

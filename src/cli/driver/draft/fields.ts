// Which fields of the answers a new driver may read, as lines of its `read`: those that need no guess at a unit. What
// looks like a rate or a power becomes a comment, for a person to decide. Pure.
import type { DraftAsk } from './asks.ts';

export type DraftField = {
  readonly field: string;
  /** The expression that reads it. */
  readonly code: string;
  /** What it gives here; absent where a person must look. */
  readonly value?: unknown;
  /** Written as a comment. */
  readonly isOpen?: true;
};

type Fields = Readonly<Record<string, unknown>>;

const MOST_LEFT = 40;

/** `status holds also: fans[].rpm, power.input_w`: of each answer of the web what the driver does not read yet. */
export function leftOf({ name, recorded, answer }: DraftAsk, fields: readonly DraftField[]): string | undefined {
  if (recorded.transport !== 'http') return undefined;
  const isRead = (key: string) => fields.some(({ code }) => code.includes(name) && code.includes(`'${key}'`));
  const left = placesIn(answer).filter((place) => !isRead(place.split('.').at(-1) ?? ''));
  if (left.length === 0) return undefined;
  const shown = left.slice(0, MOST_LEFT).join(', ');
  return `${name} holds also: ${shown}${left.length > MOST_LEFT ? `, and ${left.length - MOST_LEFT} more` : ''}`;
}

/** Texts, numbers and truth values, and the lists that they are in. */
function placesIn(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return placesIn(value[0], `${at}[]`);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([key]) => SIMPLE.test(key))
      .flatMap(([key, inner]) => placesIn(inner, at === '' ? key : `${at}.${key}`));
  return value === undefined || value === null ? [] : [at];
}

/** Field of a Reading, the keys that usually hold it, and how it is read. */
const USUAL: readonly (readonly [field: string, key: RegExp, reader: string])[] = [
  ['mac', /^mac(_?addr(ess)?)?$/i, 'asWritten'],
  ['serialNumber', /^(serial(_?n(o|um(ber)?))?|sn|miner_?sn)$/i, 'asWritten'],
  ['hostname', /^host_?name$/i, 'name'],
  ['model', /^(model|miner_?type|product|device_?model|type|prod)$/i, 'name'],
  ['firmwareVersion', /^(firmware|fw)(_?ver(sion)?)?$|^(system_)?version$|^miner$/i, 'name'],
  ['uptimeS', /^(elapsed|up_?time(_?(s|sec|seconds))?)$/i, 'seconds'],
];
const OPEN: readonly (readonly [field: string, key: RegExp, code: (at: string, key: string) => string])[] = [
  ['hashrateHs', /hash_?rate|rate_?5s|^ghs|^mhs|^ths/i, (at, key) => `${at}.rateHs('${key}', 'T')`],
  ['powerW', /^(power|watt)/i, (at, key) => `${at}.watts('${key}')`],
];
const BOARDS = [
  "devs.rows('DEVS', 8)?.map((board, slot) => ({",
  '  slot,',
  "  hashrateHs: kit.windowHs(board, '5s'),",
  "  hwErrors: board.count('Hardware Errors'),",
  '}))',
].join('\n');
/** A key in code. */
const SIMPLE = /^[\w .+-]{1,40}$/;

export function fieldsOf(asks: readonly DraftAsk[]): readonly DraftField[] {
  const found = asks.flatMap((ask) => (ask.recorded.transport === 'http' ? webFields(ask) : []));
  const all = [...cgminerFields(asks), ...found];
  const hasRate = all.some(({ code }) => code === 'kit.hashrates(row)');
  return all.filter(
    ({ field }, place) =>
      all.findIndex((other) => other.field === field) === place && !(hasRate && field === 'hashrateHs'),
  );
}

function cgminerFields(asks: readonly DraftAsk[]): DraftField[] {
  const of = (command: string) =>
    asks.find(({ name, recorded }) => name === command && recorded.transport === 'cgminer-tcp');
  const summary = firstRow(of('summary')?.answer.SUMMARY);
  const version = firstRow(of('version')?.answer.VERSION);
  const boards = of('devs')?.answer.DEVS;
  const pools = of('pools')?.answer.POOLS;
  return [
    ...(summary === undefined
      ? []
      : [{ field: '...', code: 'kit.hashrates(row)' }, ...inRow(summary, 'row', ['uptimeS', 'mac'])]),
    ...(of('summary') === undefined ? [] : [{ field: 'deviceTimeS', code: 'kit.whenS(summary)' }]),
    ...(version === undefined ? [] : inRow(version, "version.row('VERSION')", ['model', 'firmwareVersion', 'mac'])),
    ...(Array.isArray(boards) && boards.length > 0 ? [{ field: 'boards', code: BOARDS }] : []),
    ...(Array.isArray(pools) ? [{ field: 'pools', code: 'kit.cgminerPools(pools)' }] : []),
  ];
}

function webFields({ name, answer }: DraftAsk): DraftField[] {
  const inner = Object.entries(answer).find(
    ([key, value]) => /^(data|result|info)$/i.test(key) && typeof value === 'object' && !Array.isArray(value),
  );
  const inside: Fields = Object(inner?.[1]);
  return [...inRow(answer, name), ...(inner === undefined ? [] : inRow(inside, `${name}.at('${inner[0]}')`))];
}

function inRow(row: Fields, at: string, only?: readonly string[]): DraftField[] {
  const keys = Object.keys(row).filter((key) => SIMPLE.test(key) && isWorth(row[key]));
  const usual = USUAL.flatMap(([field, pattern, reader]): DraftField[] => {
    const key = keys.find((each) => pattern.test(each));
    if (key === undefined || (only !== undefined && !only.includes(field))) return [];
    const value = row[key];
    const isFit = reader === 'seconds' ? Number.isFinite(Number(value)) : typeof value === 'string';
    return isFit
      ? [{ field, code: `${at}.${reader}('${key}')`, value: reader === 'seconds' ? Number(value) : value }]
      : [];
  });
  const open = (only === undefined ? OPEN : []).flatMap(([field, pattern, code]): DraftField[] => {
    const key = keys.find((each) => pattern.test(each) && Number.isFinite(Number(row[each])));
    return key === undefined ? [] : [{ field, code: code(at, key), isOpen: true }];
  });
  return [...usual, ...open];
}

const isWorth = (value: unknown) =>
  (typeof value === 'number' && value > 0) || (typeof value === 'string' && value !== '');

const firstRow = (list: unknown): Fields | undefined => {
  const [row] = Array.isArray(list) ? list : [];
  return typeof row === 'object' && row !== null ? { ...row } : undefined;
};

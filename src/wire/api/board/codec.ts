// From rows of the board to the message, and back: the same rows come out, except for keys that were not asked for.
// Pure.
import { PeerError } from '../../../base/errors.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import type { Unmatched } from '../../../model/selector/selector.ts';
import type { BoardMessage } from './messages.ts';
import { macCode, macText, shortIp, uuidCode, uuidText, wholeIp } from './texts.ts';

export type BoardChange = {
  readonly row: number;
  readonly miner: BoardMiner;
  /** With its facts: the reader may not have them. */
  readonly isWhole: boolean;
};

export type BoardFrame = {
  readonly epoch: string;
  readonly seq: number;
  readonly atMs: number;
  readonly isSnapshot: boolean;
  readonly changes: readonly BoardChange[];
  readonly removed: readonly number[];
  readonly withKeys: boolean;
  readonly unmatched: readonly Unmatched[];
  readonly lacks: BoardMessage['lacks'];
};

/** What a reader has. */
export type Board = Pick<BoardFrame, 'epoch' | 'seq' | 'atMs' | 'unmatched' | 'lacks'> & {
  readonly miners: readonly BoardMiner[];
  /** The same by the number of the row, for the next answer. */
  readonly rows: ReadonlyMap<number, BoardMiner>;
};

type Dictionaries = BoardMessage['dictionaries'];
type Facts = BoardMessage['facts'];
type Columns = BoardMessage['columns'];

export function encodeBoard(frame: BoardFrame): BoardMessage {
  const { epoch, seq, atMs, isSnapshot, changes, removed, unmatched, lacks } = frame;
  const words = createWords();
  const whole = changes.filter(({ isWhole }) => isWhole);
  return {
    ...{ epoch, seq, at: new Date(atMs).toISOString(), is_snapshot: isSnapshot },
    facts: encodeFacts(whole, frame, words),
    columns: encodeColumns(changes, atMs, words),
    dictionaries: words.dictionaries,
    ...{ removed: [...removed], unmatched: [...unmatched], lacks },
  };
}

function encodeFacts(changes: readonly BoardChange[], { atMs, withKeys }: BoardFrame, words: Words): Facts {
  const of = <T>(read: (miner: BoardMiner) => T) => changes.map(({ miner }) => read(miner));
  const ips = of(({ ip }) => ip);
  return {
    row: changes.map(({ row }) => row),
    id: of(({ id }) => uuidCode(id)),
    key: withKeys ? of(({ key }) => key && uuidCode(key)) : null,
    ip: ips.map((ip, i) => shortIp(ip, ips[i - 1])),
    mac: of(({ mac }) => mac && macCode(mac)),
    serial: of(({ serial }) => serial),
    hostname: of(({ hostname }) => hostname),
    kind: of(({ make, model, algorithm }) => words.kind({ make, model, algorithm })),
    driver: of(({ driver, abilities }) => words.driver({ driver, abilities: [...abilities] })),
    agent: of(({ agentId }) => words.agent(agentId)),
    firmware: of(({ firmware }) => words.firmware(firmware)),
    place: of(({ container, rack }) => words.place({ container, rack })),
    position: of(({ position }) => position),
    ops_status: of(({ opsStatus }) => opsStatus),
    mode: of(({ mode }) => words.mode(mode)),
    expected_hashrate: of(({ expectedHs }) => expectedHs),
    pool: of(({ pool }) => words.pool(pool)),
    worker: of(({ worker }) => worker),
    created_ago: of(({ createdAtMs }) => before(atMs, createdAtMs)),
  };
}

function encodeColumns(changes: readonly BoardChange[], atMs: number, words: Words): Columns {
  const of = <T>(read: (miner: BoardMiner) => T) => changes.map(({ miner }) => read(miner));
  return {
    row: changes.map(({ row }) => row),
    state: of((miner) => STATE_BITS.reduce((bits, name, bit) => (miner[name] ? bits | (1 << bit) : bits), 0)),
    flags: of(({ flags }) => flags),
    flag: of(({ firstFlag }) => firstFlag && words.flag(firstFlag)),
    flag_ago: of(({ firstFlag }) => firstFlag && atMs - firstFlag.sinceMs),
    hashrate: of(({ hashrateHs }) => hashrateHs),
    power: of(({ powerW }) => powerW),
    temperature: of(({ tempC }) => tempC),
    fan: of(({ fanRpm }) => fanRpm),
    uptime: of(({ uptimeS }) => uptimeS),
    seen_ago: of(({ seenAtMs }) => before(atMs, seenAtMs)),
  };
}

const STATE_BITS = ['isMining', 'isOnline', 'isUnknown', 'isHung'] as const;
const before = (atMs: number, ms: number | null): number | null => (ms === null ? null : atMs - ms);

type Words = ReturnType<typeof createWords>;

/** Each word once, in the order in which they come. */
function createWords() {
  const dictionaries: Dictionaries = {
    ...{ kinds: [], drivers: [], places: [], agents: [], pools: [], firmware: [], modes: [], flags: [] },
  };
  const kind = indexer(dictionaries.kinds, ({ make, model, algorithm }) => JSON.stringify([make, model, algorithm]));
  const driver = indexer(dictionaries.drivers, ({ driver: id, abilities }) => JSON.stringify([id, abilities]));
  const place = indexer(dictionaries.places, ({ container, rack }) => JSON.stringify([container, rack]));
  const flag = indexer(dictionaries.flags, ({ type, severity, message }) => `${type} ${severity} ${message}`);
  const optional = (words: string[]) => {
    const indexOf = indexer(words, (word) => word);
    return (word: string | null) => (word === null ? null : indexOf(word));
  };
  return {
    dictionaries,
    ...{ kind, driver, place },
    flag: ({ type, severity, message }: Dictionaries['flags'][number]) => flag({ type, severity, message }),
    agent: optional(dictionaries.agents),
    pool: optional(dictionaries.pools),
    firmware: optional(dictionaries.firmware),
    mode: optional(dictionaries.modes),
  };
}

function indexer<T>(words: T[], keyOf: (word: T) => string): (word: T) => number {
  const known = new Map<string, number>();
  return (word) => {
    const key = keyOf(word);
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, words.length);
    return words.push(word) - 1;
  };
}

/**
 * What the reader has after this message; `had` = what it had before, and has asked with. Throws PeerError where the
 * message does not fit it, or itself.
 */
export function decodeBoard(message: BoardMessage, had?: Board): Board {
  const { epoch, seq, at, is_snapshot, removed, unmatched, lacks } = message;
  const changes = decodeChanges(message, had);
  const rows = new Map(is_snapshot ? [] : had?.rows);
  for (const row of removed) rows.delete(row);
  for (const { row, miner } of changes) rows.set(row, miner);
  return { epoch, seq, atMs: Date.parse(at), miners: [...rows.values()], rows, unmatched, lacks };
}

/** The rows of the message. Throws as `decodeBoard` does. */
export function decodeChanges(
  message: BoardMessage,
  had: Pick<Board, 'epoch' | 'rows'> | undefined,
): readonly { readonly row: number; readonly miner: BoardMiner }[] {
  const { epoch, is_snapshot, columns, facts } = message;
  if (!is_snapshot && had?.epoch !== epoch) throw nonsense('it has changes of rows that were not asked for');
  if (!isEven(columns) || !isEven(facts)) throw nonsense('its columns have different lengths');
  const atMs = Date.parse(message.at);
  const whole = new Map(facts.row.map((row, i) => [row, i]));
  const ips = wholeIps(facts.ip);
  return columns.row.map((row, i) => {
    const at = whole.get(row);
    const known =
      at !== undefined ? factsAt(message, at, ips[at] ?? '', atMs) : is_snapshot ? undefined : had?.rows.get(row);
    const values = valuesAt(message, i, atMs);
    if (known === undefined || values === undefined) throw nonsense(`its row ${row} lacks a part`);
    return { row, miner: { ...known, ...values } };
  });
}

const nonsense = (what: string) => new PeerError('peer.unparsable', `read a board: ${what}`, 'never');

/** All columns are as long as that of the rows. */
const isEven = (columns: Facts | Columns): boolean =>
  Object.values(columns).every((each) => each === null || each.length === columns.row.length);

function wholeIps(short: readonly string[]): readonly string[] {
  let last: string | undefined;
  return short.map((ip) => {
    last = wholeIp(ip, last);
    return last;
  });
}

type FactNames = Exclude<keyof BoardMiner, keyof ReturnType<typeof valuesOf>>;

/** Undefined where an index leads nowhere. */
function factsAt(
  { facts, dictionaries }: BoardMessage,
  i: number,
  ip: string,
  atMs: number,
): Pick<BoardMiner, FactNames> | undefined {
  const kind = dictionaries.kinds[facts.kind[i] ?? -1];
  const driver = dictionaries.drivers[facts.driver[i] ?? -1];
  const place = dictionaries.places[facts.place[i] ?? -1];
  if (kind === undefined || driver === undefined || place === undefined) return undefined;
  const [id, key, mac] = [facts.id[i] ?? '', facts.key?.[i] ?? null, facts.mac[i] ?? null];
  const createdAgo = facts.created_ago[i] ?? null;
  return {
    ...{ ...kind, ...driver, ...place, ip },
    id: uuidText(id),
    key: key && uuidText(key),
    mac: mac && macText(mac),
    serial: facts.serial[i] ?? null,
    hostname: facts.hostname[i] ?? null,
    agentId: wordAt(dictionaries.agents, facts.agent[i]),
    firmware: wordAt(dictionaries.firmware, facts.firmware[i]),
    position: facts.position[i] ?? null,
    opsStatus: facts.ops_status[i] ?? null,
    mode: wordAt(dictionaries.modes, facts.mode[i]),
    expectedHs: facts.expected_hashrate[i] ?? null,
    pool: wordAt(dictionaries.pools, facts.pool[i]),
    worker: facts.worker[i] ?? null,
    createdAtMs: createdAgo === null ? null : atMs - createdAgo,
  };
}

const wordAt = (words: readonly string[], index: number | null | undefined): string | null =>
  words[index ?? -1] ?? null;

function valuesAt({ columns, dictionaries }: BoardMessage, i: number, atMs: number) {
  const flag = columns.flag[i] ?? null;
  const words = flag === null ? null : dictionaries.flags[flag];
  return words === undefined ? undefined : valuesOf(columns, i, atMs, words);
}

function valuesOf(columns: Columns, i: number, atMs: number, flag: Dictionaries['flags'][number] | null) {
  const [state, seenAgo] = [columns.state[i] ?? 0, columns.seen_ago[i] ?? null];
  const has = (name: (typeof STATE_BITS)[number]) => (state & (1 << STATE_BITS.indexOf(name))) !== 0;
  return {
    ...{ isMining: has('isMining'), isOnline: has('isOnline'), isUnknown: has('isUnknown'), isHung: has('isHung') },
    flags: columns.flags[i] ?? 0,
    firstFlag: flag && { ...flag, sinceMs: atMs - (columns.flag_ago[i] ?? 0) },
    hashrateHs: columns.hashrate[i] ?? null,
    powerW: columns.power[i] ?? null,
    tempC: columns.temperature[i] ?? null,
    fanRpm: columns.fan[i] ?? null,
    uptimeS: columns.uptime[i] ?? null,
    seenAtMs: seenAgo === null ? null : atMs - seenAgo,
  };
}

// What may stand where miners are selected, for the tab key: the words, and after `rack:`, `model:`, … what there is
// now. It asks briefly and says nothing where nothing answers.
import { systemClock } from '../base/clock.ts';
import { BOARD_STATES, type BoardMiner } from '../model/board/board-miner.ts';
import { ANOMALY_TYPES } from '../model/flags/anomaly-types.ts';
import { WORD_KINDS, type WordKind } from '../model/selector/words.ts';
import type { ConnectionFlags } from './connection/connection.ts';
import type { CliContext } from './output/terminal.ts';

export type Offer = { readonly value: string; readonly about: string };

/** A person waits for it. */
const ANSWER_MS = 300;
/** More are no help to choose from. */
const MOST_OFFERED = 200;

const ABOUT: Readonly<Record<Exclude<WordKind, 'who'>, string>> = {
  rack: 'in this rack',
  container: 'in this container',
  model: 'of this model',
  flag: 'with this flag',
  pool: 'with a pool like this',
  worker: 'with a worker like this',
  driver: 'read by this driver',
  firmware: 'with a firmware like this',
  algorithm: 'of this algorithm',
  state: 'in this state',
};

/** Whether it takes the rows of miners to complete what is typed. */
const needsRows = (typed: string): boolean =>
  typed !== '' && (/^\d/.test(typed) || kindsLike(typed).some((kind) => kind !== 'flag' && kind !== 'state'));

/** `typed` = the word so far. Each value begins with it, letter by letter: shells compare them so. */
export function offersFor(typed: string, miners: readonly BoardMiner[]): Offer[] {
  if (typed === '') return [...WORD_KINDS.map((kind) => ({ value: `${kind}:`, about: ABOUT[kind] })), ...OTHER_WORDS];
  const start = typed.slice(0, typed.lastIndexOf(',') + 1);
  const offers = kindsLike(typed).flatMap((kind) => {
    const prefix = start === '' ? `${kind}:` : start;
    return namesOf(kind, miners).map((name) => ({ value: `${prefix}${name}`, about: ABOUT[kind] }));
  });
  const addresses = /^\d/.test(typed) ? miners.map(({ ip, model }) => ({ value: ip, about: model ?? '' })) : [];
  return [...offers, ...addresses, ...OTHER_WORDS]
    .filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()))
    .slice(0, MOST_OFFERED)
    .map(({ value, about }) => ({ value: typed + value.slice(typed.length), about }));
}

const OTHER_WORDS: readonly Offer[] = [
  { value: 'all', about: 'every miner' },
  { value: 'not', about: 'leaves out what the next word selects' },
];

type Prefix = Exclude<WordKind, 'who'>;

/** Kinds whose prefix is typed, or may become what is typed. */
const kindsLike = (typed: string): readonly Prefix[] => {
  const text = typed.toLowerCase();
  return WORD_KINDS.filter((kind) => `${kind}:`.startsWith(text) || text.startsWith(`${kind}:`));
};

/** What a shell takes for one word without quotation marks. */
const isPlain = (name: string): boolean => /^[\w.+@/:-]+$/.test(name);

function namesOf(kind: Prefix, miners: readonly BoardMiner[]): readonly string[] {
  const all = (read: (miner: BoardMiner) => string | null) =>
    [...new Set(miners.map(read).filter((name) => name !== null))].filter(isPlain).toSorted();
  switch (kind) {
    case 'rack':
      return all(({ rack }) => rack);
    case 'container':
      return all(({ container }) => container);
    // A part of the name selects too.
    case 'model':
      return all(({ model }) => model?.split(' ', 1)[0] ?? null);
    case 'flag':
      return ANOMALY_TYPES;
    case 'state':
      return BOARD_STATES;
    case 'pool':
      return all(({ pool }) => pool);
    case 'worker':
      return all(({ worker }) => worker);
    case 'driver':
      return all(({ driver }) => driver);
    case 'firmware':
      return all(({ firmware }) => firmware);
    case 'algorithm':
      return all(({ algorithm }) => algorithm);
  }
}

/** `words` = of the command line so far. */
export async function offersAt(words: readonly string[], context: CliContext): Promise<readonly Offer[]> {
  const typed = words.at(-1) ?? '';
  if (!needsRows(typed)) return offersFor(typed, []);
  const late = new AbortController();
  const signal = AbortSignal.any([context.signal, late.signal]);
  const cancel = systemClock.after(ANSWER_MS, () => late.abort(), { unref: true });
  const tooLate = new Promise<readonly BoardMiner[]>((resolve) => {
    signal.addEventListener('abort', () => resolve([]), { once: true });
  });
  const miners = await Promise.race([askMiners(words, { ...context, signal }).catch(() => []), tooLate]);
  cancel();
  return offersFor(typed, miners);
}

async function askMiners(words: readonly string[], context: CliContext): Promise<readonly BoardMiner[]> {
  const [{ withConnection }, { askBoard }] = await Promise.all([
    import('./connection/connection.ts'),
    import('./connection/board-feed.ts'),
  ]);
  return withConnection(flagsOf(words), context, async (connection) => (await askBoard(connection, '')).miners);
}

/** Whom the command would ask. */
function flagsOf(words: readonly string[]): ConnectionFlags {
  const after = (...names: readonly string[]): string | undefined =>
    words.find((_, index) => names.includes(words[index - 1] ?? ''));
  const [config, server] = [after('-c', '--config'), after('--server')];
  const [keyFile, caFile, farm] = [after('--key-file'), after('--ca-file'), after('--farm')];
  return {
    ...(config !== undefined && { config }),
    ...(server !== undefined && { server }),
    ...(keyFile !== undefined && { keyFile }),
    ...(caFile !== undefined && { caFile }),
    ...(farm !== undefined && { farm }),
    ...(words.includes('--allow-plain') && { allowPlain: true }),
  };
}

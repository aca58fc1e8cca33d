// Bitmain's web dialect, of its own firmware and of the makes that copied it (atlas 3.2, 3.3, 20, 22): JSON pages under
// /cgi-bin behind a digest login. Readers only; each driver decides which pages it asks, and how often.
import * as kit from '../../src/driver/kit/index.ts';

/** A page that needs the login. */
export const page = (name: string) => kit.get(`/cgi-bin/${name}`, 'digest');
export const submit = (name: string, body: Parameters<typeof kit.post>[2]) =>
  kit.post(`/cgi-bin/${name}`, 'digest', body);

export const BLINK_ON = 'B000';
export const BLINK_OFF = 'B100';

/** `{"blink": true}`; some builds answer with the code that switching it would give. */
export function isBlinking(answer: kit.Answer): boolean | undefined {
  const code = answer.text('code', 16);
  return kit.first(answer.bool('blink'), code === BLINK_ON ? true : code === BLINK_OFF ? false : undefined);
}

/** `type` of an entry of the status list. */
const STATUS_TYPES: ReadonlyMap<string, kit.ErrorDraft['category']> = new Map([
  ['rate', 'hashrate'],
  ['network', 'network'],
  ['fans', 'fan'],
  ['temp', 'temperature'],
]);

/** Words that say that all is well, or that nothing was judged yet. */
const FINE = /^(s|success|ok|okay|fine|good|normal|none|running|mining|i|info|0)$/i;
const FAULTY = /^(e|err|error|f|fail|failed|failure|fatal)$/i;

/**
 * Faults of the status list of `summary.cgi`. An entry that is not evaluated yet (empty status) is no fault. One with
 * code 0 is none either, unless it calls itself an error and names it. Undefined when there is no list.
 */
export function statusFaults(summary: kit.Answer): kit.ErrorDraft[] | undefined {
  return summary
    .row('SUMMARY')
    .rows('status', 16)
    ?.flatMap((row): kit.ErrorDraft[] => {
      const [state, code, msg] = [row.text('status', 16), row.text('code', 32), row.text('msg')];
      const isError = FAULTY.test(state ?? '');
      const saysWhich = msg !== undefined && !FINE.test(msg);
      if (state === undefined || FINE.test(state)) return [];
      if (/^(0x)?0+$/i.test(code ?? '') && !(isError && saysWhich)) return [];
      if (code === undefined && !isError && !saysWhich) return [];
      const part = row.name('type', 64) ?? 'unknown';
      return [
        {
          code: `${part}:${code ?? '0'}`,
          message: msg ?? `${part} fault`,
          category: STATUS_TYPES.get(part) ?? 'unknown',
          severity: isError ? 'major' : 'minor',
        },
      ];
    });
}

/** What a status word of a part says of it; undefined where it is no word that we know. */
export function isFineWord(word: string | undefined): boolean | undefined {
  if (word === undefined) return undefined;
  if (FINE.test(word)) return true;
  return FAULTY.test(word) ? false : undefined;
}

/** Difficulty of shares, as a sum. */
const SHARES = { min: 0, max: 1e30 } as const;

/**
 * The configured pools of rows as `pools.cgi` has them, see `setPools`. The page does not say which pool is in use.
 * These firmwares know failover only, so it is the first living one by priority, unless one before it may be alive too.
 */
export function webPools(
  rows: readonly kit.Answer[] | undefined,
  { hasSums = true }: { /** Whether `diffa`, `diffr` and `diffs` are sums. */ readonly hasSums?: boolean } = {},
): kit.PoolDraft[] | undefined {
  const set = kit.setPools(
    rows,
    (row) => row.poolAddress('url'),
    (row, url, place) => ({
      ...{ row, url, isAlive: lives(row.text('status')) },
      index: row.int('index', { min: 0, max: 63 }) ?? place,
      rank: row.int('priority', { min: 0 }) ?? place,
    }),
  );
  const candidate = set?.filter(({ isAlive }) => isAlive !== false).toSorted((a, b) => a.rank - b.rank)[0];
  return set?.map((pool) => {
    const { row, index, url, isAlive } = pool;
    return {
      ...{ index, url, isAlive },
      user: row.text('user', 512) ?? '',
      isActive: isAlive === false ? false : candidate?.isAlive === true ? pool === candidate : undefined,
      accepted: row.count('accepted'),
      rejected: row.count('rejected'),
      stale: row.count('stale'),
      ...(hasSums && {
        difficultyAccepted: row.number('diffa', SHARES),
        difficultyRejected: row.number('diffr', SHARES),
        difficultyStale: row.number('diffs', SHARES),
      }),
      difficulty: kit.first(row.positive('lsdiff', SHARES.max), kit.positive(row.difficulty('diff'))),
    };
  });
}

const lives = (status: string | undefined) => (/^unreachable$/i.test(status ?? '') ? false : kit.poolIsAlive(status));

const CONTROL_BOARDS = [
  [/^(xil|zynq|amcb)/i, 'Xilinx'],
  [/^(cv|cvitek)/i, 'CVITek'],
  [/^(aml|amlogic)/i, 'AMLogic'],
  [/^(bb|am335)/i, 'BeagleBone'],
] as const;

/** `AMLCtrl_BHB68601`: the part before `_` names the control board; else the kernel's text may. */
export function controlBoard(subtype: string | undefined, kernel: string | undefined): string | undefined {
  const name = subtype?.split('_')[0] ?? kernel?.match(/xilinx|zynq\w*|amlogic|cvitek/i)?.[0];
  return name && (CONTROL_BOARDS.find(([pattern]) => pattern.test(name))?.[1] ?? name);
}

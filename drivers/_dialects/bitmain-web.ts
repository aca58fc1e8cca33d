// Bitmain's web dialect, of its own firmware and of the makes that copied it (atlas 3.2, 3.3, 20, 22): JSON pages under
// /cgi-bin behind a digest login. Schemas and readers only; each driver decides which pages it asks, and how often.
import { z } from 'zod';
import {
  bool,
  field,
  first,
  int,
  isFillerName,
  list,
  num,
  poolAddress,
  text,
  toText,
} from '../../src/driver/fields.ts';
import { setPools } from '../../src/driver/kit/pool-rows.ts';
import type { ErrorReading, PoolReading } from '../../src/model/reading.ts';
import { poolIsAlive, positive, present, toDifficulty } from './cgminer.ts';

/** A page that needs the login. */
export const page = (name: string) =>
  ({ via: 'http', method: 'GET', path: `/cgi-bin/${name}`, auth: 'digest', as: 'json' }) as const;

/** Serial numbers and MACs are opaque: what is malformed is judged elsewhere and must arrive as written. */
export const asWritten = () => field((value) => toText(value, 128));

export const systemReply = z.looseObject({
  minertype: text(),
  hostname: text(),
  macaddr: asWritten(),
  serinum: asWritten(),
  serial_no: asWritten(),
  system_filesystem_version: text(),
  system_kernel_version: text(),
});

export const summaryPage = z.looseObject({
  SUMMARY: list(
    z.looseObject({
      elapsed: num({ min: 0, max: 4e9 }),
      status: list(z.looseObject({ type: text(64), status: text(16), code: text(32), msg: text() }), 16),
    }),
    4,
  ),
});

/** Of a configuration: the mode under its two names. */
export const modePage = z.looseObject({ 'bitmain-work-mode': int({ min: 0 }), 'miner-mode': int({ min: 0 }) });

/** `{"blink": true}`; some builds answer with the code that switching it would give. */
export const blinkPage = z.looseObject({ blink: bool(), code: text(16) });

export const BLINK_ON = 'B000';
export const BLINK_OFF = 'B100';

export function isBlinking(reply: z.output<typeof blinkPage> | undefined): boolean | undefined {
  if (reply?.blink !== undefined) return reply.blink;
  if (reply?.code === BLINK_ON) return true;
  return reply?.code === BLINK_OFF ? false : undefined;
}

/** `type` of an entry of the status list. */
const STATUS_TYPES: Readonly<Record<string, ErrorReading['category']>> = {
  rate: 'hashrate',
  network: 'network',
  fans: 'fan',
  temp: 'temperature',
};

/** Words that say that all is well, or that nothing was judged yet. */
const FINE = /^(s|success|ok|okay|fine|good|normal|none|running|mining|i|info|0)$/i;
const FAULTY = /^(e|err|error|f|fail|failed|failure|fatal)$/i;

/**
 * Faults of the status list of `summary.cgi`. An entry that is not evaluated yet (empty status) is no fault. One with
 * code 0 is none either, unless it calls itself an error and names it. Undefined when there is no list.
 */
export function statusFaults(reply: z.output<typeof summaryPage> | undefined): ErrorReading[] | undefined {
  return reply?.SUMMARY?.[0]?.status?.flatMap(({ type = 'unknown', status: state, code, msg }): ErrorReading[] => {
    const isError = FAULTY.test(state ?? '');
    const saysWhich = msg !== undefined && !FINE.test(msg);
    if (state === undefined || FINE.test(state)) return [];
    if (/^(0x)?0+$/i.test(code ?? '') && !(isError && saysWhich)) return [];
    if (code === undefined && !isError && !saysWhich) return [];
    const part = isFillerName(type) ? 'unknown' : type;
    return [
      {
        code: `${part}:${code ?? '0'}`,
        message: msg ?? `${part} fault`,
        category: STATUS_TYPES[part] ?? 'unknown',
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

const count = () => int({ min: 0, max: 1e15 });
const difficulty = () => num({ min: 0, max: 1e30 });

/** One row of `pools.cgi`. */
export const poolRow = z.looseObject({
  index: int({ min: 0, max: 63 }),
  url: poolAddress(),
  user: text(512),
  status: text(),
  priority: int({ min: 0 }),
  accepted: count(),
  rejected: count(),
  stale: count(),
  diff: field(toDifficulty),
  diffa: difficulty(),
  diffr: difficulty(),
  diffs: difficulty(),
  lsdiff: difficulty(),
});
export const poolsPage = z.looseObject({ POOLS: list(poolRow, 64) });

/**
 * The configured pools, see `setPools`. The page does not say which pool is in use. These firmwares know failover only,
 * so it is the first living one by priority, unless one before it may be alive too.
 */
export function webPools(
  rows: readonly z.output<typeof poolRow>[] | undefined,
  { hasSums = true }: { /** Whether `diffa`, `diffr` and `diffs` are sums. */ readonly hasSums?: boolean } = {},
): PoolReading[] | undefined {
  const set = setPools(
    rows,
    ({ url }) => url,
    (row, url, place) => {
      const { index = place, priority: rank = place } = row;
      return { ...row, url, index, rank, isAlive: lives(row.status) };
    },
  );
  const candidate = set?.filter(({ isAlive }) => isAlive !== false).toSorted((a, b) => a.rank - b.rank)[0];
  return set?.map((row) =>
    present({
      index: row.index,
      url: row.url,
      user: row.user ?? '',
      isAlive: row.isAlive,
      isActive: row.isAlive === false ? false : candidate?.isAlive === true ? row === candidate : undefined,
      accepted: row.accepted,
      rejected: row.rejected,
      stale: row.stale,
      ...(hasSums && { difficultyAccepted: row.diffa, difficultyRejected: row.diffr, difficultyStale: row.diffs }),
      difficulty: first(positive(row.lsdiff), positive(row.diff)),
    }),
  );
}

const lives = (status: string | undefined) => (/^unreachable$/i.test(status ?? '') ? false : poolIsAlive(status));

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

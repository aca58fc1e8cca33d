// The troubles that REST tells: a history of up to hundreds of entries, so only the newest hour counts, each message
// once.
import * as kit from '../../../src/driver/kit/index.ts';

const RECENT_S = 3_600;
/** A clock that was not set yet tells years before. */
const CLOCK_SET_S = Date.UTC(2016, 0) / 1_000;

/**
 * The device's present is not told. The last share in its statistics comes nearest, and without these there is no
 * telling. A miner that has no share to show is judged by its newest entry, unless it hashes: then its last trouble may
 * be long ago.
 */
export function errorsOf(errors: kit.Answer, stats: kit.Answer, nowHs = 0): kit.ErrorDraft[] | undefined {
  const lastShareS = stats.at('pool_stats', 'last_share_time').seconds('seconds') ?? 0;
  const hasShare = lastShareS >= CLOCK_SET_S;
  if (!stats.isThere || (!hasShare && nowHs > 0)) return undefined;
  const dated = errors.rows('errors', 512)?.flatMap((row) => {
    const atS = Date.parse(row.text('timestamp', 64) ?? '') / 1_000;
    return atS >= CLOCK_SET_S ? [{ row, atS }] : [];
  });
  const nowS = hasShare ? lastShareS : (kit.largest(dated?.map(({ atS }) => atS) ?? []) ?? 0);
  const recent = dated?.filter(({ atS }) => atS >= nowS - RECENT_S).flatMap(({ row }) => entries(row));
  // The last of those that say the same, in the place of the first.
  const once = recent && new Map(recent.map((one) => [`${one.code}|${one.message}|${one.index}`, one]));
  return once && [...once.values()].slice(-256);
}

function entries(row: kit.Answer): kit.ErrorDraft[] {
  const message = row.text('message', 512);
  const component = row.rows('components', 8)?.[0];
  const words = [component?.text('name', 64), message].filter((part) => part !== undefined);
  const more = {
    category: kit.categoryOfWords(words.join(': ')),
    index: component?.int('index', { min: 0, max: 999 }),
  };
  const codes = row.rows('error_codes', 8)?.flatMap((one): kit.ErrorDraft[] => {
    const code = one.text('code', 128);
    return code === undefined ? [] : [{ code, message: message ?? one.text('reason', 512), ...more }];
  });
  if (codes !== undefined && codes.length > 0) return codes;
  // Entries without a code of their own have this one.
  return message === undefined ? [] : [{ code: 'BOS', message, ...more }];
}

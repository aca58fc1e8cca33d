// What Braiins OS tells of its troubles. REST gives a history of up to hundreds of entries, so only the newest hour
// counts, each message once.

import { categoryOfWords } from '../../src/driver/kit/words/trouble-words.ts';
import type { ErrorReading } from '../../src/model/reading.ts';
import { present } from '../_dialects/cgminer.ts';
import type { Fault } from './replies-rest.ts';

/** Entries without a code of their own have this one. */
const NO_CODE = 'BOS';
const RECENT_S = 3_600;
/** A clock that was not set yet tells years before. */
const CLOCK_SET_S = Date.UTC(2016, 0) / 1_000;

/**
 * The device's present is not told. Its last share (`lastShareS`, seconds since the epoch) comes nearest; a miner that
 * has none to show is judged by its newest entry, unless it hashes: then its last trouble may be long ago.
 */
export function errorsOf(
  rows: readonly Fault[] | undefined,
  lastShareS: number | undefined,
  nowHs: number | undefined,
): ErrorReading[] | undefined {
  if (rows === undefined) return undefined;
  const hasShare = lastShareS !== undefined && lastShareS >= CLOCK_SET_S;
  if (!hasShare && nowHs !== undefined && nowHs > 0) return undefined;
  const dated = rows.flatMap((row) => {
    const atS = Date.parse(row.timestamp ?? '') / 1_000;
    return Number.isFinite(atS) && atS >= CLOCK_SET_S ? [{ row, atS }] : [];
  });
  const nowS = hasShare ? lastShareS : Math.max(0, ...dated.map(({ atS }) => atS));
  const told = new Map<string, ErrorReading>();
  for (const { row } of dated.filter(({ atS }) => atS >= nowS - RECENT_S)) {
    for (const entry of entries(row)) told.set(`${entry.code}|${entry.message}|${entry.index}`, entry);
  }
  return [...told.values()].slice(-256);
}

function entries({ message, error_codes, components }: Fault): ErrorReading[] {
  const [component] = components ?? [];
  const category = categoryOfWords([component?.name, message].filter((words) => words !== undefined).join(': '));
  const codes = error_codes?.flatMap(({ code, reason }) => (code === undefined ? [] : [{ code, reason }])) ?? [];
  const all = codes.length > 0 ? codes : message === undefined ? [] : [{ code: NO_CODE, reason: undefined }];
  return all.map(({ code, reason }) => ({
    code,
    category,
    ...present({ message: message ?? reason, index: component?.index }),
  }));
}

/** GraphQL lists what waits for its owner's eyes: no history, all of it counts. */
export function appeals(
  rows: readonly { readonly kind?: string | undefined; readonly message?: string | undefined }[] | undefined,
): ErrorReading[] | undefined {
  return rows?.flatMap(({ kind, message }) =>
    kind === undefined && message === undefined
      ? []
      : [
          {
            code: kind ?? NO_CODE,
            category: categoryOfWords(`${kind ?? ''} ${message ?? ''}`),
            ...present({ message }),
          },
        ],
  );
}

// Schemas of Avalon answers (atlas 5.2). `estats`, `stats` and `litestats` are one form: rows whose texts are taken
// apart here, once.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { list, num, text } from '../../src/driver/fields.ts';
import { poolsReply, summaryReply, versionRow, whenS } from '../_dialects/cgminer.ts';
import { scanSections, type Tokens } from './tokens.ts';

/**
 * One controller (MM): its own tokens, and by number the tokens of the boards where the build gives them apart (`HB0`,
 * `HB1`, ...).
 */
export type Module = { readonly tokens: Tokens; readonly boards: ReadonlyMap<number, Tokens> };

type Stats = {
  readonly modules: readonly Module[];
  readonly elapsedS: number | undefined;
  readonly whenS: number | undefined;
};

const MODULE_KEY = /^MM ID\d{1,3}(:Summary)?$/;
const { STATUS, When } = summaryReply.shape;

export const statsReply = z
  .looseObject({ STATUS, When, STATS: list(z.looseObject({ Elapsed: num({ min: 0, max: 4e9 }) }), 64) })
  .transform((answer): Stats => {
    const rows = answer.STATS ?? [];
    return { modules: rows.flatMap(modulesOf), elapsedS: rows[0]?.Elapsed, whenS: whenS(answer) };
  })
  .refine(({ modules }) => modules.length > 0);

/** Builds of the A10 and older leave the present rate out of their stats: `summary` has it. */
export function lacksRate(answer: unknown): boolean {
  const texts = (rowsOf.safeParse(answer).data?.STATS ?? []).flatMap((row) =>
    Object.entries(row).flatMap(([key, value]) => (MODULE_KEY.test(key) && typeof value === 'string' ? [value] : [])),
  );
  return texts.length > 0 && !texts.some((text) => text.includes('GHSspd['));
}

const rowsOf = z.looseObject({ STATS: z.array(z.record(z.string(), z.unknown())).max(64) });

function modulesOf(row: Readonly<Record<string, unknown>>): Module[] {
  const boards = boardSections(row.HBinfo);
  return Object.entries(row)
    .slice(0, 64)
    .flatMap(([key, value]) => (MODULE_KEY.test(key) && typeof value === 'string' ? [value] : []))
    .map((value) => ({ tokens: new Map([...scanSections(value).values()].flatMap((tokens) => [...tokens])), boards }))
    .filter(({ tokens }) => tokens.size > 0);
}

function boardSections(text: unknown): ReadonlyMap<number, Tokens> {
  const sections = typeof text === 'string' ? [...scanSections(text)] : [];
  return new Map(
    sections.flatMap(([name, tokens]): [number, Tokens][] => {
      const board = name.match(/^HB(\d{1,2})$/)?.[1];
      return board === undefined ? [] : [[Number(board), tokens]];
    }),
  );
}

const avalonVersion = versionRow.extend({
  PROD: text(64),
  MODEL: text(64),
  HWTYPE: text(),
  DNA: text(128),
  MAC: text(128),
  LVERSION: text(),
  CGVERSION: text(),
  VERSION: text(),
});

/** One schema per ask of index.ts. */
export const replies = z.object({
  estats: reply(statsReply),
  stats: reply(statsReply),
  litestats: reply(statsReply),
  homeStats: reply(statsReply),
  summary: reply(summaryReply.refine(({ SUMMARY }) => SUMMARY?.[0] !== undefined)),
  version: reply(
    z
      .looseObject({ STATUS, When, VERSION: list(avalonVersion, 4) })
      .refine(({ VERSION }) => VERSION?.[0] !== undefined),
  ),
  pools: reply(poolsReply.refine(({ POOLS }) => POOLS !== undefined)),
});
export type Replies = z.output<typeof replies>;

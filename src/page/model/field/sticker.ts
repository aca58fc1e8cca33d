// What the codes on a sticker say of its miner: of several on one photo that one counts which names a known miner.
// Pure.
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { findMiners } from '../list/find.ts';

const MAC = /(?:[0-9a-f]{2}[:-]?){5}[0-9a-f]{2}/i;
/** Codes say it in many ways: alone, as `SN:…`, within an address or a list. */
const BETWEEN = /[\s,;|&?=]+|(?:S\/?N|MAC|SERIAL)[:=]/i;
const LEAST = 4;

/** The text to be searched for; undefined = no code says anything. */
export function stickerText(codes: readonly string[], miners: Iterable<BoardMiner>): string | undefined {
  const known = [...miners];
  const words = codes.flatMap((code) => {
    const mac = MAC.exec(code)?.[0];
    return [code.trim(), ...(mac === undefined ? [] : [mac]), ...code.split(BETWEEN)].filter(
      ({ length }) => length >= LEAST,
    );
  });
  return words.find((word) => findMiners(word, known).length === 1) ?? words[0];
}

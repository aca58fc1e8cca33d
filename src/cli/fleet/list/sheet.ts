// The miners of a list as a sheet, with the columns that a person chose and the clock of this host.
import { writeFile } from 'node:fs/promises';
import { ownWallClock } from '../../../base/time/wall-clock.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { workbook } from '../../../wire/api/sheet/encode.ts';
import { type Sheet, sheetOf } from '../../../wire/api/sheet/sheet.ts';
import type { MinerColumn } from './columns.ts';

export function listSheet(columns: readonly MinerColumn[], miners: readonly BoardMiner[], nowMs: number): Sheet {
  const time = { nowMs, wallClock: ownWallClock };
  const sheetColumns = columns.map(({ key, kind, value }) => ({
    ...{ key, kind },
    value: (miner: BoardMiner) => value(miner, nowMs),
  }));
  return sheetOf(sheetColumns, miners, time);
}

/** An existing file is replaced. Throws what the system says. */
export const writeWorkbook = async (path: string, sheet: Sheet): Promise<void> =>
  writeFile(path, await workbook(sheet));

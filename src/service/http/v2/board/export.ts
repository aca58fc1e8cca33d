// POST …/miners/export: miners as a sheet, for people. An extension of the interface.
import { z } from 'zod';
import { yieldToEventLoop } from '../../../../base/clock.ts';
import { wallClockOf, wallText } from '../../../../base/time/wall-clock.ts';
import type { BoardMiner } from '../../../../model/board/board-miner.ts';
import { byLocation } from '../../../../model/board/miner-order.ts';
import { parseSelector, select } from '../../../../model/selector/selector.ts';
import { type BoardState, lackingWord } from '../../../../wire/api/board/answer.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { type SheetRequest, sheetRequestSchema } from '../../../../wire/api/sheet/request.ts';
import { type Cell, type Sheet, sheetMaker } from '../../../../wire/api/sheet/sheet.ts';
import { SHEET_COLUMNS } from '../../../../wire/api/sheet/values.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import { farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import { sendMade } from '../../pages/send-page.ts';
import type { App, RouteParts } from '../../server.ts';
import { invalidRequest } from '../../shared/errors.ts';
import { takesGzip } from '../../transfer/transfer.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

export function registerMinerExport(app: App, { boards, pages, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_FARM}/miners/export`,
    schema: {
      ...EXTENSION,
      tags: ['miners'],
      operationId: 'exportMinersV2',
      summary: 'Miners as a sheet for people: CSV or a workbook',
      description:
        'The columns of `pithead miners --csv`: place, address, model, rates in the unit of the algorithm, W, worker, flags with their text, and moments by the clock of `time_zone`. A cell that a spreadsheet would take for a formula has an apostrophe in front. CSV begins with a byte order mark.',
      params: farmParams,
      body: sheetRequestSchema,
      response: {
        ...answers(z.string()),
        200: { content: { 'text/csv': { schema: z.string() }, [TYPES.xlsx]: { schema: z.string() } } },
      },
    },
    handler: async (request, reply) => {
      const { format, time_zone, limit } = request.body;
      const miners = wantedMiners(await boards.of(farmOf(request).id).state(), request.body);
      if (miners.length > limit)
        throw invalidRequest(
          `body.limit: received ${limit}, accepted: at least the ${miners.length} miners of the sheet`,
        );
      const wallClock = wallClockOf(time_zone);
      if (wallClock === undefined) throw invalidRequest('body.time_zone: is not known here');
      const nowMs = clock.nowMs();
      const sheet = await inPortions(miners, { nowMs, wallClock });
      const isPackable = format === 'csv' && takesGzip(request.headers['accept-encoding']);
      const made = await pages.thread.make({ format, sheet }, isPackable);
      if (made === undefined) throw new Error('make a sheet: the thread has made none');
      const day = wallText(wallClock(nowMs)).slice(0, 16).replace(' ', '-').replace(':', '');
      reply.type(TYPES[format]).header('content-disposition', `attachment; filename="miners-${day}.${format}"`);
      return sendMade(reply, made);
    },
  });
}

function wantedMiners(state: BoardState, { miner_ids, select: written }: SheetRequest): readonly BoardMiner[] {
  const all = Array.from(state.rows.entries(), ({ miner }) => miner);
  if (miner_ids != null) {
    const byId = new Map(all.map((miner) => [miner.id, miner]));
    return [...new Set(miner_ids)].flatMap((id) => byId.get(id) ?? []);
  }
  const read = parseSelector(written ?? '');
  if (read.kind === 'wrong') throw invalidRequest(...read.problems.map((problem) => `body.select: ${problem}`));
  const word = lackingWord(read.selector, state.lacks);
  if (word !== undefined) throw invalidRequest(word);
  const miners = read.selector.isEmpty ? all : select(read.selector, all, state.atMs).miners;
  return miners.toSorted(byLocation);
}

/** Some ms; between them others have their turn. */
const PORTION = 500;

async function inPortions(miners: readonly BoardMiner[], time: Parameters<typeof sheetMaker>[2]): Promise<Sheet> {
  const { titles, rowOf } = sheetMaker(SHEET_COLUMNS, miners, time);
  const rows: (readonly Cell[])[] = [];
  for (let from = 0; from < miners.length; from += PORTION) {
    rows.push(...miners.slice(from, from + PORTION).map(rowOf));
    await yieldToEventLoop();
  }
  return { titles, rows };
}

// A sheet of miners as the bytes of an answer, made in the thread of large pages: a workbook of 10,000 miners takes
// seconds of a processor, and packing it cannot be interrupted.
import { csvText, workbook } from '../../../wire/api/sheet/encode.ts';
import type { SheetFormat } from '../../../wire/api/sheet/request.ts';
import type { Sheet } from '../../../wire/api/sheet/sheet.ts';

/** Plain data that another thread can be given. */
export type WantedSheet = { readonly format: SheetFormat; readonly sheet: Sheet };

export async function writeSheet(
  { format, sheet }: WantedSheet,
  take: (part: string | Uint8Array) => Promise<void>,
): Promise<true> {
  // The byte order mark is for spreadsheets that would take the text for one of their own country.
  if (format === 'csv') await take(`\uFEFF${csvText(sheet)}`);
  else await take(await workbook(sheet));
  return true;
}

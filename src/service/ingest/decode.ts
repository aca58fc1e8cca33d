// From a binary frame to checked records. Sizes are bounded before unpacking. A record that fits no schema, or is too
// long, is counted and left out, so that it does not block the others; a body that is no slice is refused.
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { RefusedError } from '../../base/errors.ts';
import { mayHideText, visibleLines, visibleText, visibleValue } from '../../model/plain-text.ts';
import { decodeLive, decodeSlice, type LiveHeader, parseJson, type SliceHeader } from '../../wire/frames.ts';
import { jsonLength } from '../../wire/json-length.ts';
import { MAX_RECORD_LENGTH, MAX_SLICE_BYTES, MAX_SLICE_RECORDS, MAX_TASK_RECORD_LENGTH } from '../../wire/protocol.ts';
import { type ReportRecord, reportRecordSchema } from '../../wire/records.ts';
import { MAX_ORDER } from '../store/outbox-order.ts';

const envelopeSchema = z.object({ v: z.literal(1), records: z.array(z.unknown()).max(MAX_SLICE_RECORDS) });
const unpack = promisify(zstdDecompress);

type Frame =
  | { readonly kind: 'slice'; readonly header: SliceHeader; readonly compressedBody: Buffer }
  | { readonly kind: 'live'; readonly header: LiveHeader; readonly compressedBody: Buffer };

export function readHeader(frame: Buffer): Frame {
  const slice = decodeSlice(frame);
  if (slice !== undefined) {
    checkOrder(slice.header.order ?? slice.header.seq);
    return { kind: 'slice', ...slice };
  }
  const live = decodeLive(frame);
  if (live === undefined) throw new RefusedError('frame.invalid', 'read a slice: it has no valid header');
  checkOrder(live.header.order);
  return { kind: 'live', ...live };
}

function checkOrder(order: number): void {
  if (order > MAX_ORDER)
    throw new RefusedError('frame.invalid', `read a slice: no outbox has more than ${MAX_ORDER} of them`);
}

/**
 * `rejected` records are left out; `firstProblem` is what was wrong with the first of them; `bytes` counts the body,
 * unpacked. Throws RefusedError `frame.invalid` when the body is too large, is not zstd, or is no slice.
 */
export async function readBody({ seq }: Pick<SliceHeader, 'seq'>, compressedBody: Buffer) {
  const body = await unpackBody(compressedBody);
  const text = body.toString('utf8');
  const envelope = envelopeSchema.safeParse(parseJson(text));
  if (!envelope.success)
    throw new RefusedError(
      'frame.invalid',
      `read slice ${seq}: its body is not a list of at most ${MAX_SLICE_RECORDS} records`,
    );
  const records: ReportRecord[] = [];
  let rejected = 0;
  let firstProblem: string | undefined;
  const show = mayHideText(text) ? shown : (item: unknown) => item;
  for (const item of envelope.data.records) {
    if (isTooLong(item)) {
      rejected++;
      firstProblem ??= 'longer than a record may be';
      continue;
    }
    const record = reportRecordSchema.safeParse(show(item));
    if (record.success) records.push(record.data);
    else {
      rejected++;
      const issue = record.error.issues[0];
      firstProblem ??= `${issue?.path.join('.') ?? ''}: ${issue?.code ?? ''}`;
    }
  }
  return { records, rejected, firstProblem, bytes: body.length };
}

function isTooLong(item: unknown): boolean {
  const length = jsonLength(item, MAX_TASK_RECORD_LENGTH);
  if (length <= MAX_RECORD_LENGTH) return false;
  return length > MAX_TASK_RECORD_LENGTH || !taskSchema.safeParse(item).success;
}

/** Agents remove hidden text; a hostile one may not. Logs of miners, the evidence of tasks, have several lines. */
const shown = (item: unknown): unknown =>
  visibleValue(item, taskSchema.safeParse(item).success ? (text) => visibleLines(text) : visibleText);
const taskSchema = z.object({ kind: z.literal('task') });

async function unpackBody(compressedBody: Buffer): Promise<Buffer> {
  try {
    return await unpack(compressedBody, { maxOutputLength: MAX_SLICE_BYTES });
  } catch (error) {
    throw new RefusedError(
      'frame.invalid',
      `unpack a slice: it is not zstd or larger than ${MAX_SLICE_BYTES} bytes`,
      error,
    );
  }
}

// A slice as it lies on disk: compressed records, their counts, and checksums of both. Pure: no database, no clock.
import { promisify } from 'node:util';
import { constants, crc32, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';
import { BugError } from '../../../base/errors.ts';
import { MAX_FRAME_BYTES, MAX_SLICE_BYTES } from '../../../wire/protocol.ts';
import type { GapRecord, ReportRecord } from '../../../wire/records.ts';

/** When space is short samples are replaced by a gap first, then those that show a change; the others are kept. */
type EntryKind = 'sample' | 'change' | 'other' | 'gap';

/** One record, serialised when it was handed over. Times in ms since the epoch; `declared` = what a gap counts. */
export type Entry = {
  readonly json: string;
  readonly bytes: number;
  readonly kind: EntryKind;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly declared: number | null;
};

export const storedSliceSchema = z.object({
  id: z.int(),
  producedMs: z.int(),
  /** Those that show no change. */
  samples: z.int(),
  changes: z.int(),
  others: z.int(),
  gaps: z.int(),
  /** The sum of what its gaps count; null = one of them is unknown. */
  declared: z.int().nullable(),
  /** The span of its records. */
  firstMs: z.int(),
  lastMs: z.int(),
  headCrc: z.int(),
  bodyCrc: z.int(),
  body: z.instanceof(Uint8Array),
});
export type StoredSlice = Readonly<z.output<typeof storedSliceSchema>>;
type SliceHead = Omit<StoredSlice, 'headCrc' | 'bodyCrc' | 'body'>;

/** Uncompressed bytes per slice: even records that do not compress then fit a frame with its header. */
export const MAX_BODY_BYTES = MAX_FRAME_BYTES - 64 * 1024;
/** One record larger than this is not reported but counted as lost: it cannot be an honest one. */
const MAX_RECORD_BYTES = 512 * 1024;
/** What a row costs beside its body, roughly. */
export const ROW_BYTES = 64;

export const isSample = ({ kind }: Entry): boolean => kind === 'sample' || kind === 'change';

const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressAsync = promisify(zstdCompress);

/** Throws BugError for a record that is no JSON, has no time or is larger than MAX_RECORD_BYTES. */
export function toEntry(record: ReportRecord): Entry {
  const json = JSON.stringify(record);
  const bytes = Buffer.byteLength(json) + 1;
  if (bytes > MAX_RECORD_BYTES) throw new BugError(`store a ${record.kind} record of ${bytes} bytes`);
  switch (record.kind) {
    case 'miner':
    case 'host':
      return { json, bytes, kind: 'sample', ...instant(record.at), declared: 0 };
    case 'task':
    case 'event':
    case 'scan':
      return { json, bytes, kind: 'other', ...instant(record.at), declared: 0 };
    case 'gap': {
      const span = { firstMs: Date.parse(record.from), lastMs: Date.parse(record.to) };
      return { json, bytes, kind: 'gap', ...span, declared: record.count };
    }
  }
}

function instant(iso: string): { firstMs: number; lastMs: number } {
  const ms = Date.parse(iso);
  if (!Number.isFinite(ms)) throw new BugError(`store a record whose time is '${iso.slice(0, 40)}'`);
  return { firstMs: ms, lastMs: ms };
}

/** A gap record with a span that never runs backwards, whatever the wall clock did. */
export function gapEntry(reason: GapRecord['reason'], fromMs: number, toMs: number, count: number | null): Entry {
  const from = new Date(Math.min(fromMs, toMs)).toISOString();
  const to = new Date(Math.max(fromMs, toMs)).toISOString();
  return toEntry({ kind: 'gap', from, to, reason, count });
}

export function headOf(id: number, producedMs: number, entries: readonly Entry[]): SliceHead {
  const count = (kind: EntryKind) => entries.filter((entry) => entry.kind === kind).length;
  return {
    id,
    producedMs,
    samples: count('sample'),
    changes: count('change'),
    others: count('other'),
    gaps: count('gap'),
    declared: entries.reduce<number | null>((sum, entry) => addCounts(sum, entry.declared), 0),
    firstMs: entries.reduce((least, entry) => Math.min(least, entry.firstMs), producedMs),
    lastMs: entries.reduce((most, entry) => Math.max(most, entry.lastMs), 0),
  };
}

/** A sum of which one unknown part makes the whole unknown. */
function addCounts(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** `changes` = which records are samples that show a change; peers leave it aside. */
function bodyOf(entries: readonly Pick<Entry, 'json' | 'kind'>[]): Buffer {
  const changes = entries.flatMap(({ kind }, index) => (kind === 'change' ? [index] : []));
  const marks = changes.length === 0 ? '' : `,"changes":[${changes.join(',')}]`;
  return Buffer.from(`{"v":1,"records":[${entries.map(({ json }) => json).join(',')}]${marks}}`);
}

export const compress = (entries: readonly Entry[]): Promise<StoredSlice['body']> =>
  compressAsync(bodyOf(entries), COMPRESSION);

const compressNow = (entries: readonly Pick<Entry, 'json' | 'kind'>[]): StoredSlice['body'] =>
  zstdCompressSync(bodyOf(entries), COMPRESSION);

export function seal(head: SliceHead, body: StoredSlice['body']): StoredSlice {
  return { ...head, headCrc: headCrc(head), bodyCrc: bodyCrc(head.id, body), body };
}

function headCrc({ id, producedMs, samples, changes, others, gaps, declared, firstMs, lastMs }: SliceHead): number {
  const sum = crc32([id, producedMs, samples, others, gaps, declared, firstMs, lastMs].join(':'));
  return changes === 0 ? sum : crc32(String(changes), sum);
}

/** The id is part of the sum, so that a body that turns up under another row does not pass. */
function bodyCrc(id: number, body: Uint8Array): number {
  return crc32(body, crc32(String(id)));
}

const isHeadSound = (slice: StoredSlice): boolean => headCrc(slice) === slice.headCrc;
export const isSound = (slice: StoredSlice): boolean =>
  isHeadSound(slice) && bodyCrc(slice.id, slice.body) === slice.bodyCrc;

const bodySchema = z.object({
  v: z.literal(1),
  records: z.array(z.looseObject({ kind: z.string() })),
  changes: z.array(z.int()).optional(),
});
const timedSchema = z.object({ at: z.string() });

/** The slice with a gap in place of its samples; changes stay if `keepChanges`. Undefined = unreadable. */
export function withoutSamples(
  slice: StoredSlice,
  { keepChanges }: { readonly keepChanges: boolean },
): StoredSlice | undefined {
  const { samples, changes, others, gaps, firstMs, lastMs } = slice;
  const leaving = keepChanges ? samples : samples + changes;
  const head = {
    ...slice,
    samples: 0,
    changes: samples + changes - leaving,
    gaps: gaps + 1,
    declared: addCounts(slice.declared, leaving),
  };
  if (others === 0 && gaps === 0 && head.changes === 0) {
    return seal(head, compressNow([gapEntry('buffer_full', firstMs, lastMs, leaving)]));
  }
  const body = readBody(slice.body);
  if (body === undefined) return undefined;
  const isChange = new Set(body.changes);
  const leaves = ({ kind }: { kind: string }, index: number) =>
    (kind === 'miner' || kind === 'host') && !(keepChanges && isChange.has(index));
  const times = body.records.filter(leaves).flatMap((record) => {
    const timed = timedSchema.safeParse(record);
    return timed.success ? [Date.parse(timed.data.at)] : [];
  });
  const from = times.reduce((least, ms) => Math.min(least, ms), lastMs);
  const to = times.reduce((most, ms) => Math.max(most, ms), firstMs);
  const kept = body.records.flatMap((record, index) => {
    const kind: EntryKind = isChange.has(index) ? 'change' : 'other';
    return leaves(record, index) ? [] : [{ json: JSON.stringify(record), kind }];
  });
  return seal(head, compressNow([...kept, gapEntry('buffer_full', from, to, leaving)]));
}

function readBody(body: Uint8Array): z.output<typeof bodySchema> | undefined {
  try {
    const text = zstdDecompressSync(body, { maxOutputLength: MAX_SLICE_BYTES }).toString('utf8');
    return bodySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** What takes the place of a slice whose bytes cannot be trusted. Without a sound head its content is unknown. */
export function damagedSlice(
  id: number,
  found: StoredSlice | undefined,
  span: { readonly fromMs: number; readonly toMs: number },
): StoredSlice {
  const known = found !== undefined && isHeadSound(found) ? found : undefined;
  const count = known ? addCounts(known.declared, known.samples + known.changes + known.others) : null;
  const entry = gapEntry('buffer_damaged', known?.firstMs ?? span.fromMs, known?.lastMs ?? span.toMs, count);
  return seal(headOf(id, known?.producedMs ?? span.toMs, [entry]), compressNow([entry]));
}

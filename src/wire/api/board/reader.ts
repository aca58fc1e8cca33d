// What a reader of a board has, kept as the messages of a stream say. For browsers too: it reaches no module of Node
// and checks no schema. It does not connect.
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { decodeChanges } from './codec.ts';
import type { BoardMessage, BoardStreamMessage } from './messages.ts';

export type BoardApplied =
  | {
      readonly kind: 'rows';
      /** Of a snapshot: all. */
      readonly changed: readonly number[];
      readonly removed: readonly number[];
    }
  /** All rows have to be asked for anew. */
  | { readonly kind: 'snapshot-needed' };

const NOTHING: BoardApplied = { kind: 'rows', changed: [], removed: [] };
const ANEW: BoardApplied = { kind: 'snapshot-needed' };

export class BoardReader {
  #epoch = '';
  #seq = 0;
  #atMs = 0;
  #lacks: BoardMessage['lacks'] = [];
  readonly #rows = new Map<number, BoardMiner>();
  readonly #rowsById = new Map<string, number>();

  /** With `seq`, what to connect with; empty = there is nothing yet. */
  get epoch(): string {
    return this.#epoch;
  }

  get seq(): number {
    return this.#seq;
  }

  /** When the rows were as they are here, or still so. */
  get atMs(): number {
    return this.#atMs;
  }

  get lacks(): BoardMessage['lacks'] {
    return this.#lacks;
  }

  /** By the number of the row; the same map all the time. */
  get rows(): ReadonlyMap<number, BoardMiner> {
    return this.#rows;
  }

  minerOf(id: string): BoardMiner | undefined {
    const row = this.#rowsById.get(id);
    return row === undefined ? undefined : this.#rows.get(row);
  }

  /** A snapshot, or one message of a stream. Throws PeerError where it does not fit, and then nothing has changed. */
  apply(message: BoardStreamMessage): BoardApplied {
    if ('type' in message) return ANEW;
    if (!('columns' in message)) {
      // It speaks of rows that are not here.
      if (message.seq !== this.#seq) return ANEW;
      this.#atMs = Date.parse(message.at);
      return NOTHING;
    }
    const changes = decodeChanges(message, this);
    if (message.is_snapshot) this.#clear();
    for (const row of message.removed) this.#remove(row);
    for (const { row, miner } of changes) this.#put(row, miner);
    this.#epoch = message.epoch;
    this.#seq = message.seq;
    this.#atMs = Date.parse(message.at);
    this.#lacks = message.lacks;
    return { kind: 'rows', changed: changes.map(({ row }) => row), removed: message.removed };
  }

  #clear(): void {
    this.#rows.clear();
    this.#rowsById.clear();
  }

  #put(row: number, miner: BoardMiner): void {
    const before = this.#rows.get(row);
    this.#rows.set(row, miner);
    if (before?.id === miner.id) return;
    if (before !== undefined) this.#forget(row, before);
    this.#rowsById.set(miner.id, row);
  }

  #remove(row: number): void {
    const before = this.#rows.get(row);
    if (before === undefined) return;
    this.#rows.delete(row);
    this.#forget(row, before);
  }

  /** Another row may have its id by now. */
  #forget(row: number, { id }: BoardMiner): void {
    if (this.#rowsById.get(id) === row) this.#rowsById.delete(id);
  }
}

/**
 * The text of a message as the socket gives it (`binaryType` = 'arraybuffer'): larger ones come compressed. Messages
 * are to be applied in the order in which they came.
 */
export async function streamText(data: string | ArrayBuffer): Promise<string> {
  if (typeof data === 'string') return data;
  const inflating = new DecompressionStream('gzip');
  const writer = inflating.writable.getWriter();
  // What is not packed as it should be is seen where it is read. A Blob would be made known to the whole browser first.
  writer.write(new Uint8Array(data)).catch(() => {});
  writer.close().catch(() => {});
  return new Response(inflating.readable).text();
}

// The messages of streams, each encoded once: all readers that have the same version get the same bytes.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type BoardState, boardSince, knownSince } from '../../../wire/api/board/answer.ts';
import type { BoardStreamMessage } from '../../../wire/api/board/messages.ts';

/** `seq` = the version that its reader has then; undefined = it has to begin anew. */
export type Frame = { readonly data: Buffer; readonly isCompressed: boolean; readonly seq: number | undefined };

/** Smaller ones fit in one packet. */
const COMPRESSED_FROM_BYTES = 1_024;
const gzipAsync = promisify(gzip);

/** What a reader is sent that has the version `since` of the epoch. */
export function createFrames() {
  /** Those of the states that are in use. */
  const made = new WeakMap<BoardState, Map<number, Promise<Frame>>>();
  return (state: BoardState, epoch: string | undefined, since: number): Promise<Frame> => {
    if (knownSince(state, { epoch, since }) === undefined) return Promise.resolve(ANEW);
    const frames = made.get(state) ?? new Map<number, Promise<Frame>>();
    made.set(state, frames);
    const frame = frames.get(since) ?? encode(messageOf(state, since));
    frames.set(since, frame);
    return frame;
  };
}

const ANEW: Frame = {
  data: Buffer.from(JSON.stringify({ type: 'snapshot' } satisfies BoardStreamMessage)),
  isCompressed: false,
  seq: undefined,
};

function messageOf(state: BoardState, since: number): Exclude<BoardStreamMessage, { type: string }> {
  const { seq } = state.rows;
  return seq === since ? { seq, at: new Date(state.atMs).toISOString() } : boardSince(state, since);
}

async function encode(message: ReturnType<typeof messageOf>): Promise<Frame> {
  const data = Buffer.from(JSON.stringify(message));
  if (data.length < COMPRESSED_FROM_BYTES) return { data, isCompressed: false, seq: message.seq };
  return { data: await gzipAsync(data), isCompressed: true, seq: message.seq };
}

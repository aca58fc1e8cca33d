// Copies what devices answer, for recordings. It changes nothing and gets no request body, header or login.
import type { Receiver } from './connection.ts';

/** One answer, or the part of it that came before a failure. */
export type RecordedAnswer = {
  /** The port as reached, after any port map. */
  readonly port: number;
  /** HTTP only. `path` is absent where it may hold a secret. */
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** Unpacked, as far as they came. */
  readonly bytes: Buffer;
  readonly elapsedMs: number;
};

export type Recorder = (answer: RecordedAnswer) => void;

/** Longer answers are recorded up to here. */
const MAX_RECORDED_BYTES = 1024 * 1024;

/** A receiver that keeps a copy of what it is fed. */
export function recorded(receiver: Receiver): { readonly receiver: Receiver; bytes(): Buffer } {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    receiver: {
      take(chunk) {
        const kept = Buffer.from(chunk.subarray(0, MAX_RECORDED_BYTES - length));
        length += kept.length;
        chunks.push(kept);
        return receiver.take(chunk);
      },
    },
    bytes: () => Buffer.concat(chunks),
  };
}

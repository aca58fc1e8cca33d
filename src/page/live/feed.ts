// Keeps the board of one farm as the service has it: a snapshot, then a socket that sends what has changed; where no
// socket gets through, a question every few seconds. It goes on for ever, and rests while the page is hidden.
import type { BoardMessage, BoardStreamMessage } from '../../wire/api/board/messages.ts';
import { BoardReader, streamText } from '../../wire/api/board/reader.ts';
import { failed, heard, type Liveness, mayTrySocket, pauseMs, SILENT_MS, START, tryAnew } from './liveness.ts';

export const ASK_EVERY_MS = 5_000;
/** A page that is hidden for longer lets go of its socket. */
export const HIDDEN_MS = 30_000;

/** What is there; an empty epoch = nothing. */
export type Had = Pick<BoardReader, 'epoch' | 'seq'>;

export type FeedSocket = { close(): void };

export type FeedParts = {
  /** All, or what has changed since; undefined where no good answer came. */
  fetchBoard(had: Had, signal: AbortSignal): Promise<BoardMessage | undefined>;
  openSocket(
    had: Had,
    on: { readonly frame: (data: string | ArrayBuffer) => void; readonly close: () => void },
  ): FeedSocket;
  after(ms: number, work: () => void): () => void;
  nowMs(): number;
  random(): number;
  onBoard(board: BoardReader): void;
  onLiveness(liveness: Liveness): void;
};

export class Feed {
  readonly #parts: FeedParts;
  #board = new BoardReader();
  #liveness: Liveness = START;
  #socket: FeedSocket | undefined;
  #asking: AbortController | undefined;
  #cancelTimer = () => {};
  #isRunning = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#ask();
  }

  /** What is known stays known; it is as old as it is. */
  stop(): void {
    this.#isRunning = false;
    this.#drop();
  }

  /** At once, for a person who does not want to wait. */
  again(): void {
    if (!this.#isRunning) return;
    this.#drop();
    this.#liveness = tryAnew(this.#liveness);
    this.#ask();
  }

  #note(next: Liveness): void {
    this.#liveness = next;
    this.#parts.onLiveness(next);
  }

  #later(ms: number, work: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.after(ms, work);
  }

  #drop(): void {
    this.#cancelTimer();
    this.#asking?.abort();
    this.#asking = undefined;
    const open = this.#socket;
    this.#socket = undefined;
    open?.close();
  }

  #retry(what: 'socket' | 'request'): void {
    this.#drop();
    if (!this.#isRunning) return;
    this.#note(failed(this.#liveness, what, this.#parts.nowMs()));
    this.#later(pauseMs(this.#liveness, this.#parts.random()), () => this.#ask());
  }

  /**
   * Whether it fitted what is there. If not, all is asked anew, after a pause that grows: a service that answers
   * wrongly again and again is not asked for all without end.
   */
  #take(message: BoardStreamMessage | undefined, by: 'socket' | 'request'): boolean {
    if (message === undefined || !this.#isApplied(message)) {
      this.#board = new BoardReader();
      this.#retry(by);
      return false;
    }
    this.#note(heard(this.#liveness, by, this.#parts.nowMs()));
    this.#parts.onBoard(this.#board);
    return true;
  }

  #isApplied(message: BoardStreamMessage): boolean {
    try {
      return this.#board.apply(message).kind === 'rows';
    } catch {
      return false;
    }
  }

  #ask(): void {
    const asking = new AbortController();
    this.#asking = asking;
    this.#parts.fetchBoard(this.#board, asking.signal).then(
      (message) => {
        if (this.#asking !== asking) return;
        if (message === undefined) this.#retry('request');
        else if (this.#take(message, 'request')) this.#follow();
      },
      () => {
        if (this.#asking === asking) this.#retry('request');
      },
    );
  }

  #follow(): void {
    if (mayTrySocket(this.#liveness, this.#parts.nowMs())) this.#connect();
    else this.#later(ASK_EVERY_MS, () => this.#ask());
  }

  #connect(): void {
    /** Frames are read one after the other, in the order in which they came. */
    let reading = Promise.resolve();
    try {
      const opened = this.#parts.openSocket(this.#board, {
        frame: (data) => {
          reading = reading.then(() => this.#onFrame(opened, data));
        },
        close: () => {
          if (this.#socket === opened) this.#retry('socket');
        },
      });
      this.#socket = opened;
      this.#later(SILENT_MS, () => this.#retry('socket'));
    } catch {
      // A browser that has sockets switched off.
      this.#retry('socket');
    }
  }

  async #onFrame(from: FeedSocket, data: string | ArrayBuffer): Promise<void> {
    const message = await readMessage(data);
    if (this.#socket !== from) return;
    if (this.#take(message, 'socket')) this.#later(SILENT_MS, () => this.#retry('socket'));
  }
}

/** Undefined = it is no message. */
async function readMessage(data: string | ArrayBuffer): Promise<BoardStreamMessage | undefined> {
  try {
    const message: BoardStreamMessage = JSON.parse(await streamText(data));
    return message;
  } catch {
    return undefined;
  }
}

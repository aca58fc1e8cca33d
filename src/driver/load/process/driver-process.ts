// One process of folder drivers: starts it, sends it one message at a time, ends it when it spins or grows, and names
// the driver that it was busy with. It starts no second one; that is the supervisor's.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../../base/clock.ts';
import { BugError } from '../../../base/errors.ts';
import { type ChildCommand, childEnvironment } from './child-command.ts';
import { type Failure, type FromProcess, fromProcessSchema, type ToProcess } from './protocol.ts';
import { processorMsOf, rssOf } from './usage.ts';

const START_MS = 20_000;
/** Of the processor, for one message. */
const CALL_MS = 200;
const LOAD_MS = 2_000;
/** Where the processor's time is not known, and a host may let the process wait. */
const PATIENCE = 5;
/** Even when the host gives it no time. */
const MOST_CALL_MS = 5_000;
const WATCH_MS = 250;
/** Beyond what it had when it was ready: the heap that it may use, and as much again outside of it. */
const MAX_GROWTH_BYTES = 128 * 1024 * 1024;
const MAX_QUEUE = 10_000;
const MAX_STDERR = 2_000;

type Without<T> = T extends unknown ? Omit<T, 'seq'> : never;
export type Message = Without<ToProcess>;
type Job = {
  readonly message: Message;
  /** Whom it is about. */
  readonly driver: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
};

/** The process is gone. `driver` = the one that it was busy with, or was last. */
export class ProcessEnded extends Error {
  readonly driver: string | undefined;
  constructor(message: string, driver: string | undefined) {
    super(message);
    this.driver = driver;
  }
}

/** What a driver threw, or what its process says of a request to a device. */
export class DriverThrew extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export type ProcessOptions = {
  readonly clock: Clock;
  readonly command: ChildCommand;
  readonly folder: string;
  /** What it says beside its replies. */
  readonly onMessage: (message: Exclude<FromProcess, { kind: 'done' | 'failed' | 'ready' | 'memory' }>) => void;
  readonly onEnd: (ended: ProcessEnded) => void;
};

export class DriverProcess {
  readonly #options: ProcessOptions;
  readonly #child: ChildProcess;
  readonly #queue: Job[] = [];
  readonly #cancels = new Set<() => void>();
  #current: { readonly job: Job; readonly seq: number } | undefined;
  #seq = 0;
  #last: string | undefined;
  #stderr = '';
  #reportedRss: number | undefined;
  #readyRss: number | undefined;
  #why: string | undefined;
  #end: ProcessEnded | undefined;
  /** Rejects where it does not start. */
  readonly ready: Promise<void>;
  readonly gone: Promise<void>;

  constructor(options: ProcessOptions) {
    this.#options = options;
    const { command, folder } = options;
    const child = spawn(command.file, command.args, {
      env: childEnvironment(command, [folder]),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      windowsHide: true,
    });
    this.#child = child;
    child.stderr?.on('data', (chunk) => {
      this.#stderr = (this.#stderr + String(chunk)).slice(-MAX_STDERR);
    });
    const started = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    this.ready = started.promise;
    this.ready.catch(() => {});
    this.gone = gone.promise;
    const cancelStart = this.#after(START_MS, () => this.kill(`did not start within ${START_MS / 1_000} s`));
    child.on('message', (message) => {
      const { data } = fromProcessSchema.safeParse(message);
      if (data?.kind === 'ready') {
        cancelStart();
        this.#readyRss = this.#rss();
        this.#watch();
        started.resolve();
        this.#next();
      } else if (data !== undefined) this.#take(data);
    });
    const onGone = (why: string) => {
      if (this.#end !== undefined) return;
      for (const cancel of this.#cancels) cancel();
      this.#end = new ProcessEnded(this.#why ?? why, this.#current?.job.driver ?? this.#last);
      started.reject(this.#end);
      this.#failAll(this.#end);
      gone.resolve();
      options.onEnd(this.#end);
    };
    child.on('error', (error) => onGone(`the process of the folder drivers does not start: ${error.message}`));
    child.on('close', (code, signal) => onGone(this.#endedWith(code, signal)));
  }

  /** Rejects with ProcessEnded when it ends first, DriverThrew when the driver throws. */
  send(driver: string, message: Message): Promise<unknown> {
    const end = this.#end;
    if (end !== undefined) return Promise.reject(end);
    if (this.#queue.length >= MAX_QUEUE)
      return Promise.reject(new BugError(`call driver ${driver}: ${MAX_QUEUE} calls of folder drivers wait already`));
    return new Promise((resolve, reject) => {
      this.#queue.push({ driver, message, resolve, reject });
      this.#next();
    });
  }

  kill(why: string): void {
    this.#why ??= why;
    this.#child.kill('SIGKILL');
  }

  #next(): void {
    if (this.#current !== undefined || this.#readyRss === undefined || this.#end !== undefined) return;
    const job = this.#queue.shift();
    if (job === undefined) return;
    const seq = ++this.#seq;
    this.#current = { job, seq };
    this.#last = job.driver;
    const boundMs = job.message.kind === 'load' ? LOAD_MS : CALL_MS;
    this.#bound(seq, boundMs, processorMsOf(this.#child.pid ?? 0));
    // What cannot be sent is an error of the caller; what is not taken shows at the end of the process.
    try {
      this.#child.send({ ...job.message, seq }, () => {});
    } catch (error) {
      this.#settle(seq, () => job.reject(error instanceof Error ? error : new Error(String(error))));
    }
  }

  /** Ends the process when this message takes too much. */
  #bound(seq: number, boundMs: number, sinceMs: number | undefined): void {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    const look = () => {
      // A reply may lie ready that this process had no time for.
      setImmediate(() => {
        if (this.#current?.seq !== seq) return;
        const tookMs = clock.monotonicMs() - startMs;
        const nowMs = processorMsOf(this.#child.pid ?? 0);
        const usedMs = sinceMs === undefined || nowMs === undefined ? tookMs / PATIENCE : nowMs - sinceMs;
        if (usedMs >= boundMs || tookMs >= Math.max(MOST_CALL_MS, PATIENCE * boundMs))
          this.kill(`did not answer within ${boundMs} ms`);
        else this.#after(Math.max(20, boundMs - usedMs), look);
      });
    };
    this.#after(boundMs, look);
  }

  #take(message: Exclude<FromProcess, { kind: 'ready' }>): void {
    switch (message.kind) {
      case 'memory':
        this.#reportedRss = message.rss;
        return;
      case 'done':
        this.#settle(message.seq, ({ resolve }) => resolve(message.value));
        return;
      case 'failed':
        this.#settle(message.seq, ({ reject }) => reject(new DriverThrew(message.failure)));
        return;
      case 'send':
      case 'acted':
      case 'broke':
        this.#options.onMessage(message);
    }
  }

  #settle(seq: number, settle: (job: Job) => void): void {
    const current = this.#current;
    if (current?.seq !== seq) return;
    this.#current = undefined;
    settle(current.job);
    this.#next();
  }

  #failAll(end: ProcessEnded): void {
    const jobs = [...(this.#current === undefined ? [] : [this.#current.job]), ...this.#queue.splice(0)];
    this.#current = undefined;
    for (const { reject } of jobs) reject(end);
  }

  #watch(): void {
    this.#after(WATCH_MS, () => {
      const grownBytes = (this.#rss() ?? 0) - (this.#readyRss ?? 0);
      if (grownBytes > MAX_GROWTH_BYTES) this.kill(`grew by ${Math.round(grownBytes / 1024 / 1024)} MB`);
      else this.#watch();
    });
  }

  #rss(): number | undefined {
    return rssOf(this.#child.pid ?? 0) ?? this.#reportedRss ?? 0;
  }

  #after(delayMs: number, run: () => void): () => void {
    const cancel = this.#options.clock.after(
      delayMs,
      () => {
        this.#cancels.delete(cancel);
        run();
      },
      { unref: true },
    );
    this.#cancels.add(cancel);
    return () => {
      cancel();
      this.#cancels.delete(cancel);
    };
  }

  #endedWith(code: number | null, signal: NodeJS.Signals | null): string {
    if (/heap out of memory|heap limit/i.test(this.#stderr)) return 'used up the memory that drivers may have';
    const words =
      this.#stderr
        .trim()
        .split('\n')
        .find((line) => /error/i.test(line)) ?? '';
    return `ended its process (${signal ?? `code ${code}`})${words === '' ? '' : `: ${words.slice(0, 200)}`}`;
  }
}

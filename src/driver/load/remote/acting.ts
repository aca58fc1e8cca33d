// Commands of folder drivers as they run: the driver decides in its process, and its requests are sent from here, by
// the link that the core gave. A command whose process is gone has lost its reply, once something was sent.
import type { Clock } from '../../../base/clock.ts';
import { BugError, PeerError } from '../../../base/errors.ts';
import type { Message } from '../process/driver-process.ts';
import { errorOf, type FromProcess, failureOf } from '../process/protocol.ts';
import { misfitOf } from './described.ts';
import type { ActCall } from './folder-driver.ts';
import { requestSchemas } from './requests.ts';

/** Without a request under way: nothing of a driver runs by itself. */
const IDLE_MS = 10_000;
const LOST = { kind: 'lost-reply' } as const;

type Running = {
  readonly id: string;
  readonly call: ActCall;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** What requests to the device failed with, by number. */
  readonly errors: Map<number, unknown>;
  pending: number;
  hasSent: boolean;
  /** Grows with each thing that happens. */
  steps: number;
};

type Send = (id: string, message: Message) => Promise<unknown>;
type FromAct = Extract<FromProcess, { kind: 'send' | 'acted' | 'broke' }>;

export class Acting {
  readonly #clock: Clock;
  readonly #send: Send;
  readonly #running = new Map<number, Running>();
  #begun = 0;

  constructor(clock: Clock, send: Send) {
    this.#clock = clock;
    this.#send = send;
  }

  /** `begin` hands it to the process. Throws what the requests to the device threw, or BugError. */
  async run(
    id: string,
    call: ActCall,
    begin: (about: { readonly act: number; readonly ip: string }) => Promise<unknown>,
  ): Promise<unknown> {
    const act = ++this.#begun;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    promise.catch(() => {});
    this.#running.set(act, { id, call, resolve, reject, errors: new Map(), pending: 0, hasSent: false, steps: 0 });
    try {
      await begin({ act, ip: call.link.ip });
      this.#watch(act);
      return await promise;
    } catch (error) {
      if (this.#running.get(act)?.hasSent === true && !(error instanceof PeerError)) return LOST;
      throw error;
    } finally {
      this.#running.delete(act);
    }
  }

  take(message: FromAct): void {
    const running = this.#running.get(message.act);
    if (running === undefined) return;
    running.steps++;
    switch (message.kind) {
      case 'send':
        void this.#ask(running, message);
        return;
      case 'acted':
        running.resolve(message.value);
        return;
      case 'broke': {
        const { request, peer } = message.failure;
        const own = errorOf(message.failure);
        const thrown = peer === undefined ? new BugError(`act of driver ${running.id}`, own) : own;
        const original = request === undefined ? undefined : running.errors.get(request);
        running.reject(original ?? thrown);
      }
    }
  }

  /** The process is gone. */
  lost(): void {
    for (const { id, hasSent, resolve, reject } of this.#running.values()) {
      if (hasSent) resolve(LOST);
      else reject(new BugError(`act of driver ${id}: its process ended`));
    }
  }

  async #ask(running: Running, { act, request, message, limits }: Extract<FromAct, { kind: 'send' }>): Promise<void> {
    const { id, call } = running;
    running.pending++;
    let outcome: Message;
    try {
      const ofAct = `${id} ${act}`;
      const asked = (fn: string, args: readonly unknown[]) =>
        this.#send(id, { kind: 'call', id: ofAct, fn, args: [...args] });
      const { data, error } = requestSchemas(asked, call.image?.bytes).any.safeParse(message);
      if (error !== undefined) throw new BugError(`a request of driver ${id}: ${misfitOf(error)}`);
      running.hasSent = true;
      outcome = { kind: 'answer', request, value: await call.link.send(data, limits) };
    } catch (error) {
      running.errors.set(request, error);
      outcome = { kind: 'refusal', request, failure: failureOf(error) };
    }
    // Where the process is gone, `lost` ends the command.
    await this.#send(id, outcome).catch(() => {});
    running.pending--;
    this.#watch(act);
  }

  #watch(act: number): void {
    const running = this.#running.get(act);
    if (running === undefined || running.pending > 0) return;
    const { steps, id, reject } = running;
    this.#clock.after(
      IDLE_MS,
      () => {
        if (running.steps === steps && running.pending === 0)
          reject(new BugError(`act of driver ${id}: it waits for nothing that the agent does`));
      },
      { unref: true },
    );
  }
}

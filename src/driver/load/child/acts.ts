// Commands of drivers while they run: each gets a link whose requests the agent sends. It sends nothing itself.
import { PeerError } from '../../../base/errors.ts';
import type { ExchangeLimits } from '../../../transport/request.ts';
import { errorOf, type Failure, type FromProcess, failureOf, IMAGE, type ToProcess } from '../process/protocol.ts';
import { Parts } from './parts.ts';

type Begin = Extract<ToProcess, { kind: 'act' }>;
type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

export class Acts {
  readonly #channel: { post(message: FromProcess): void };
  readonly #drivers: ReadonlyMap<string, Parts>;
  readonly #running = new Map<number, Parts>();
  readonly #requests = new Map<number, Waiting>();
  /** Which request to a device an error is the outcome of. */
  readonly #causes = new WeakMap<Error, number>();
  #asked = 0;

  constructor(channel: { post(message: FromProcess): void }, drivers: ReadonlyMap<string, Parts>) {
    this.#channel = channel;
    this.#drivers = drivers;
  }

  /** What the requests of this command are made of. */
  partsOf(act: number): Parts | undefined {
    return this.#running.get(act);
  }

  begin(message: Begin): void {
    const { act } = message;
    this.#running.set(act, new Parts(undefined));
    this.#run(message)
      .then(
        (value) => this.#channel.post({ kind: 'acted', act, value }),
        (error: unknown) => this.#channel.post({ kind: 'broke', act, failure: this.#failureOf(error) }),
      )
      .finally(() => this.#running.delete(act));
  }

  answer(request: number, value: unknown): void {
    this.#take(request)?.resolve(value);
  }

  refuse(request: number, failure: Failure): void {
    const error = errorOf(failure);
    this.#causes.set(error, request);
    this.#take(request)?.reject(error);
  }

  async #run({ id, act, ip, ability, fn, params, known, image }: Begin): Promise<unknown> {
    const driver = this.#drivers.get(id);
    const name = `abilities.${ability}`;
    const bytes = image && standIn(image.size);
    const link = { ip, send: (request: unknown, limits?: ExchangeLimits) => this.#send(act, request, limits, bytes) };
    if (fn === 'provesLogin') {
      await driver?.call(`${name}.${fn}`, [link, known]);
      return undefined;
    }
    const fitting = parsed(driver, name, params);
    return driver?.call(`${name}.act`, [link, fitting, known, image && { ...image, bytes }]);
  }

  #send(act: number, request: unknown, limits: ExchangeLimits = {}, bytes?: Blob): Promise<unknown> {
    const number = ++this.#asked;
    const { deadlineMs, maxBytes } = limits;
    return new Promise((resolve, reject) => {
      const message = this.#running.get(act)?.plain(request, `request${number}`, (value) => {
        if (value === bytes) return IMAGE;
        if (value instanceof Blob) throw new Error('a firmware image can only be sent as it is');
        return undefined;
      });
      this.#requests.set(number, { resolve, reject });
      this.#channel.post({
        kind: 'send',
        ...{ act, request: number, message },
        limits: { ...(deadlineMs !== undefined && { deadlineMs }), ...(maxBytes !== undefined && { maxBytes }) },
      });
    });
  }

  #take(request: number): Waiting | undefined {
    const waiting = this.#requests.get(request);
    this.#requests.delete(request);
    return waiting;
  }

  #failureOf(error: unknown): Failure {
    const request = error instanceof Error ? this.#causes.get(error) : undefined;
    return { ...failureOf(error), ...(request !== undefined && { request }) };
  }
}

/** Nothing was sent yet. */
function parsed(driver: Parts | undefined, ability: string, params: unknown): unknown {
  try {
    return driver?.parse(`${ability}.params`, params);
  } catch (error) {
    throw new PeerError('peer.unsupported', `${ability}: the params do not fit`, 'never', error, { wasSent: false });
  }
}

/** For the bytes of a firmware image, which stay with the agent: the driver can say where they go, and no more. */
function standIn(size: number): Blob {
  const bytes = new Blob([]);
  const refuse = () => {
    throw new Error('the bytes of a firmware image stay with the agent: send the image as it is');
  };
  for (const name of ['slice', 'stream', 'text', 'bytes', 'arrayBuffer'])
    Object.defineProperty(bytes, name, { value: refuse });
  return Object.defineProperty(bytes, 'size', { value: size });
}

// Requests of the page to its own service, each bounded in time. What comes back is of the same program as the page, so
// its shape is not checked again here; of a page that was open while the service was updated see live/build.ts.
import type { ErrorBody } from '../../wire/api/envelope.ts';
import { headersOf } from './headers.ts';

const TIMEOUT_MS = 20_000;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Answer<T, M = undefined> = {
  readonly data: T;
  readonly pagination?: { readonly total: number; readonly total_pages: number };
  readonly meta: M;
};

export type Outcome<A> =
  | { readonly kind: 'ok'; readonly answer: A }
  /** The service has said no, in its own words. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly message: string;
      readonly retryAfterS: number | undefined;
    }
  /** No answer came in time: it is not known whether the request was carried out. */
  | { readonly kind: 'unreachable' };

export type Request = {
  readonly method?: Method;
  readonly path: string;
  readonly body?: unknown;
  /** So that a request that is sent twice is carried out once. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
};

export type Ask = <A>(request: Request) => Promise<Outcome<A>>;

type AskParts = {
  /** Hears of each answer that says no, before the caller does. */
  readonly onRefused: (status: number, path: string) => void;
  /** Whether a person does something with the page. */
  readonly isAttended: () => boolean;
};

export function createAsk({ onRefused, isAttended }: AskParts): Ask {
  return async <A>(request: Request): Promise<Outcome<A>> => {
    const { method = 'GET', path, body, signal } = request;
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(path, {
        method,
        credentials: 'same-origin',
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
        headers: headersOf(request, isAttended()),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (response.ok) {
        const answer: A = await response.json();
        return { kind: 'ok', answer };
      }
      const refused = await readRefusal(response);
      onRefused(response.status, path);
      return refused;
    } catch {
      return { kind: 'unreachable' };
    }
  };
}

export async function readRefusal(response: Response): Promise<Extract<Outcome<never>, { kind: 'refused' }>> {
  const retryAfterS = Number(response.headers.get('retry-after') ?? Number.NaN);
  const text = await response.text();
  return {
    kind: 'refused',
    status: response.status,
    message: messageOf(text) ?? response.statusText,
    retryAfterS: Number.isFinite(retryAfterS) ? retryAfterS : undefined,
  };
}

function messageOf(text: string): string | undefined {
  try {
    const body: ErrorBody = JSON.parse(text);
    return body.message;
  } catch {
    // A proxy in between has answered in its own way.
    return undefined;
  }
}

/** 128 random bits. `crypto.randomUUID` is not there on a plain address of a farm's network. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

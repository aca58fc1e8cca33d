// Callers that this process itself vouches for: a request gets a random text that stands for its caller until the
// request is over. The texts never leave the process. It decides nothing about what a caller may do.
import { randomBytes } from 'node:crypto';
import type { Caller } from './authorise.ts';

/** Of a request that has one. */
export const VOUCHER_HEADER = 'x-pithead-voucher';

export type Vouchers = ReturnType<typeof createVouchers>;

export function createVouchers() {
  const callers = new Map<string, Caller>();
  return {
    /** `end` when the request is over: from then on the text stands for no caller. */
    issue(caller: Caller): { readonly text: string; end(): void } {
      const text = randomBytes(32).toString('base64url');
      callers.set(text, caller);
      return { text, end: () => void callers.delete(text) };
    },
    /** Undefined for any other text. */
    callerOf: (headers: Readonly<Record<string, string | string[] | undefined>>): Caller | undefined => {
      const text = headers[VOUCHER_HEADER];
      return typeof text === 'string' ? callers.get(text) : undefined;
    },
  };
}

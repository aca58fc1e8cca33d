// The headers of a request of the page.

type Sent = { readonly body?: unknown; readonly idempotencyKey?: string };

/** `isAttended` = a person does something with the page; what it asks by itself makes no session last longer. */
export const headersOf = ({ body, idempotencyKey }: Sent, isAttended: boolean): Readonly<Record<string, string>> => ({
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  ...(!isAttended && { 'pithead-unattended': '1' }),
});

// Requests to the web of a device, written short.
import type { HttpRequest } from '../../../transport/request.ts';

type Auth = HttpRequest['auth'];
type Body = Pick<HttpRequest, 'json' | 'form' | 'upload' | 'octets' | 'headers' | 'port' | 'carry' | 'freshLogin'>;

/** `GET` of a page that answers JSON. */
export const get = (path: string, auth: Auth = 'none', more: Body = {}): HttpRequest => ({
  ...{ via: 'http', method: 'GET', path, auth, as: 'json' },
  ...more,
});

/** `POST` with a body or without, answered by JSON. */
export const post = (path: string, auth: Auth = 'none', more: Body = {}): HttpRequest => ({
  ...get(path, auth, more),
  method: 'POST',
});

export const put = (path: string, auth: Auth = 'none', more: Body = {}): HttpRequest => ({
  ...get(path, auth, more),
  method: 'PUT',
});

/** The same request, its answer as text. */
export const asText = (request: HttpRequest): HttpRequest => ({ ...request, as: 'text' });

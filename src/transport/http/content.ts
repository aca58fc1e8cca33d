// What an HTTP request of a driver looks like on the wire: its body and the headers that go with it. It sends nothing and knows no login but
// one that is carried in the request.
import { Readable } from 'node:stream';
import { isJsonObject } from '../cgminer/json-fixer.ts';
import type { CarriedLogin, HttpRequest, PlainLogin } from '../request.ts';
import type { StreamedBody } from './client.ts';
import { fileChunks, multipartBody } from './multipart.ts';

export type Content = { readonly headers: Readonly<Record<string, string>>; readonly body?: string | StreamedBody };

export function contentOf({
  headers = {},
  json,
  form,
  upload,
  octets,
}: Omit<HttpRequest, 'via' | 'auth' | 'as'>): Content {
  if (octets !== undefined) {
    return {
      headers: { 'content-type': 'application/octet-stream', ...headers },
      body: { length: octets.size, open: () => Readable.from(fileChunks(octets), { objectMode: false }) },
    };
  }
  if (upload !== undefined) {
    const { contentType, body } = multipartBody(upload);
    return { headers: { ...headers, 'content-type': contentType }, body };
  }
  if (form !== undefined) {
    return {
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...form }).toString(),
    };
  }
  if (json === undefined) return { headers };
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(json) };
}

/** The request with what the device wants to see of the login. */
export function carrying(request: HttpRequest, { carry }: CarriedLogin, login: PlainLogin): HttpRequest {
  const { headers, json, form, fields } = carry(login);
  const { upload } = request;
  return {
    ...request,
    ...(headers && { headers: { ...request.headers, ...headers } }),
    ...(json && { json: { ...(isJsonObject(request.json) ? request.json : {}), ...json } }),
    ...(form && { form: { ...request.form, ...form } }),
    ...(fields && upload && { upload: { ...upload, fields: { ...upload.fields, ...fields } } }),
  };
}

// Body and headers of an HTTP request of a driver. Files are read from disk as they are sent, with a known length. It
// sends nothing, and knows no login but one that is carried in the request.
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { isJsonObject } from '../cgminer/json-fixer.ts';
import type { CarriedLogin, HttpRequest, PlainLogin, Upload } from '../request.ts';
import { fileChunks } from '../tcp/exchange.ts';
import type { StreamedBody } from './client.ts';

type Content = { readonly headers: Readonly<Record<string, string>>; readonly body?: string | StreamedBody };

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
export async function carrying(
  request: HttpRequest,
  carriers: readonly (Partial<Pick<CarriedLogin, 'carry'>> | undefined)[],
  login: PlainLogin,
): Promise<HttpRequest> {
  let sent = request;
  for (const carrier of carriers) {
    const { headers, json, form, fields } = (await carrier?.carry?.(login)) ?? {};
    const { upload } = sent;
    sent = {
      ...sent,
      ...(headers && { headers: { ...sent.headers, ...headers } }),
      ...(json && { json: { ...(isJsonObject(sent.json) ? sent.json : {}), ...json } }),
      ...(form && { form: { ...sent.form, ...form } }),
      ...(fields && upload && { upload: { ...upload, fields: { ...upload.fields, ...fields } } }),
    };
  }
  return sent;
}

/** Text fields come first: some devices read them before the file. */
function multipartBody({ fields, file }: Upload): { readonly contentType: string; readonly body: StreamedBody } {
  const boundary = `----pithead${randomBytes(16).toString('hex')}`;
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
  );
  const disposition = `form-data; name="${quoted(file.field)}"; filename="${quoted(file.name)}"`;
  const head = Buffer.from(
    `${texts.join('')}--${boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: application/octet-stream\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      length: head.length + file.bytes.size + tail.length,
      open: () => Readable.from(parts(head, file, tail), { objectMode: false }),
    },
  };
}

async function* parts(head: Buffer, file: Upload['file'], tail: Buffer): AsyncGenerator<Uint8Array> {
  yield head;
  yield* fileChunks(file.bytes, file.name);
  yield tail;
}

/** As browsers write names: a quote or a line break in one must not end it. */
const quoted = (text: string) => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

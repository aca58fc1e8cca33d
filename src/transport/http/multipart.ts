// A file in a multipart body, read from disk as it is sent and of known length. Text fields come first: some devices read them before the file.
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { RefusedError } from '../../base/errors.ts';
import type { Upload } from '../request.ts';
import type { StreamedBody } from './client.ts';

/** A file that cannot be read on the way ends the request with RefusedError `upload.unreadable`. */
export function multipartBody({ fields, file }: Upload): { readonly contentType: string; readonly body: StreamedBody } {
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

/** Throws RefusedError `upload.unreadable`. */
export async function* fileChunks(bytes: Blob, name = 'a file'): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes.stream();
  } catch (error) {
    throw new RefusedError('upload.unreadable', `read ${name} while sending it`, error);
  }
}

/** As browsers write names: a quote or a line break in one must not end it. */
const quoted = (text: string) => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

// A plain gRPC client for simulated devices, and a reader of protobuf by field numbers, written from the specifications
// and from nothing of ours.
import { connect, type IncomingHttpHeaders } from 'node:http2';

export type Call = {
  readonly httpStatus: number;
  /** `grpc-status`; undefined when the answer broke off before it. */
  readonly status: number | undefined;
  readonly says: string;
  readonly headers: IncomingHttpHeaders;
  /** Of the one message; undefined when none came whole. */
  readonly message: Proto | undefined;
};

export type CallOptions = { readonly token?: string; readonly body?: Buffer; readonly contentType?: string };

/** One connection per call. Rejects when the connection is refused. */
export function callGrpc(ip: string, path: string, options: CallOptions = {}): Promise<Call> {
  const { token, body = Buffer.alloc(0), contentType = 'application/grpc' } = options;
  return new Promise((resolve, reject) => {
    const session = connect(`http://${ip}:50051`);
    let headers: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': contentType,
      te: 'trailers',
      ...(token === undefined ? {} : { authorization: token }),
    });
    session.on('error', reject);
    // A connection that breaks within an answer is one too: what has come is what counts.
    let isAnswered = false;
    stream.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    stream.on('response', (got) => {
      isAnswered = true;
      headers = got;
    });
    stream.on('trailers', (got) => {
      trailers = got;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('close', () => {
      const status = trailers['grpc-status'] ?? headers['grpc-status'];
      resolve({
        httpStatus: Number(headers[':status']),
        status: status === undefined ? undefined : Number(status),
        says: decodeURIComponent(String(trailers['grpc-message'] ?? headers['grpc-message'] ?? '')),
        headers,
        message: messageOf(Buffer.concat(chunks)),
      });
      session.destroy();
    });
    const head = Buffer.alloc(5);
    head.writeUInt32BE(body.length, 1);
    stream.end(Buffer.concat([head, body]));
  });
}

function messageOf(bytes: Buffer): Proto | undefined {
  if (bytes.length < 5 || bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - 5) return undefined;
  return new Proto(bytes.subarray(5));
}

/** A message that is walked by field numbers; what is not there is undefined. */
export class Proto {
  readonly #fields = new Map<number, (number | Buffer)[]>();

  constructor(bytes: Buffer) {
    let at = 0;
    const varint = () => {
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = bytes.readUInt8(at++);
        value += (byte % 128) * scale;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const key = varint();
      const wire = key % 8;
      if (wire > 2) throw new Error(`wire type ${wire} is not used here`);
      let value = wire === 0 ? varint() : 0;
      const length = wire === 1 ? 8 : wire === 2 ? varint() : 0;
      if (at + length > bytes.length) throw new Error('the message is cut off');
      const content = bytes.subarray(at, at + length);
      at += length;
      if (wire === 1) value = content.readDoubleLE();
      const list = this.#fields.get(Math.floor(key / 8)) ?? [];
      this.#fields.set(Math.floor(key / 8), [...list, wire === 2 ? content : value]);
    }
  }

  /** The numbers of the fields that were sent. */
  get sent(): number[] {
    return [...this.#fields.keys()];
  }
  all(no: number): Proto[] {
    return (this.#fields.get(no) ?? []).flatMap((value) => (typeof value === 'number' ? [] : [new Proto(value)]));
  }
  /** A message inside messages. */
  at(...path: readonly number[]): Proto | undefined {
    let found: Proto | undefined = this;
    for (const no of path) found = found?.all(no)[0];
    return found;
  }
  number(...path: readonly number[]): number | undefined {
    const value = this.#leaf(path);
    return typeof value === 'number' ? value : undefined;
  }
  text(...path: readonly number[]): string | undefined {
    const value = this.#leaf(path);
    return typeof value === 'object' ? value.toString('utf8') : undefined;
  }
  #leaf(path: readonly number[]): number | Buffer | undefined {
    const owner = this.at(...path.slice(0, -1));
    return owner === undefined ? undefined : owner.#fields.get(path.at(-1) ?? 0)?.[0];
  }
}

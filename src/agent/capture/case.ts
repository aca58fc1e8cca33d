// The case folder of one capture: the content of `case.json` and the names of its files. The contract tests read the
// same layout.
import type { Rhythm } from '../../driver/contract.ts';
import type { HttpRequest, ReadRequest } from '../../transport/request.ts';

/** One request and what came back, in a file of its own. */
export type Exchange = {
  readonly file: string;
  readonly transport: 'cgminer-tcp' | 'whatsminer-v3' | 'http';
  readonly port: number;
  /** TCP: what was sent. */
  readonly send?: Readonly<Record<string, unknown>>;
  /** HTTP. */
  readonly method?: HttpRequest['method'];
  readonly path?: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The driver's name of the request; absent for the shared questions of identification. */
  readonly ask?: string;
  readonly every?: Rhythm;
  readonly elapsedMs: number;
  /** Why there is no answer, or what the device sent instead of one. */
  readonly failure?: string;
};

/** What is known of an exchange before it is answered. */
export type Asked = Omit<Exchange, 'file' | 'elapsedMs'>;

export type Case = {
  readonly id: string;
  /** Id of the driver, or `unknown`. */
  readonly firmware: string;
  readonly make: string | null;
  readonly model: string | null;
  readonly firmwareVersion: string | null;
  /** What identification handed to the driver. */
  readonly known: Readonly<Record<string, string>>;
  readonly capturedBy: string;
  readonly ports: Readonly<Record<string, string>>;
  readonly responses: readonly Exchange[];
  /** Values read by hand; the contract tests compare them with what the driver reads. Empty until then. */
  readonly expect: Readonly<Record<string, unknown>>;
  /** What today's driver reads from it, for the author to check. */
  readonly read: unknown;
};

/** A request as `case.json` has it. */
export function describeRequest(request: ReadRequest): Asked {
  switch (request.via) {
    case 'cgminer':
      return {
        transport: 'cgminer-tcp',
        port: request.port ?? 4028,
        send: {
          command: request.command,
          ...(request.parameter !== undefined && { parameter: request.parameter }),
          ...(request.newApi && { new_api: true }),
        },
      };
    case 'whatsminer3':
      return {
        transport: 'whatsminer-v3',
        port: 4433,
        send: { cmd: request.cmd, ...(request.param !== undefined && { param: request.param }) },
      };
    case 'http':
      return {
        transport: 'http',
        port: request.port ?? 80,
        method: request.method,
        path: request.path,
        ...(request.json !== undefined && { body: request.json }),
        ...(request.form !== undefined && { body: request.form }),
      };
  }
}

/** Equal for requests that a device cannot tell apart. */
export const requestKey = (request: ReadRequest): string => JSON.stringify(describeRequest(request));

const slug = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.+]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 40) || 'unknown';

/** `<make>-<model>-<firmware>`; unknown parts are `unknown`. */
export const caseName = (make?: string, model?: string, firmwareVersion?: string): string =>
  [...(make !== undefined && model?.startsWith(make) ? [] : [make]), model, firmwareVersion]
    .map((part) => slug(part ?? 'unknown'))
    .join('-');

/** A file name that says what was asked, unique among `taken`. */
export function fileName(exchange: Asked, answer: string, taken: Set<string>): string {
  const { transport, port, send, path, ask } = exchange;
  const protocol = transport === 'cgminer-tcp' ? 'tcp' : transport === 'whatsminer-v3' ? 'v3' : 'http';
  const what = ask ?? slug(String(send?.command ?? send?.cmd ?? (path === '/' ? 'start-page' : path)));
  const start = answer.trimStart();
  const end = /^[[{]/.test(start) ? 'json' : /^</.test(start) ? 'html' : 'txt';
  const stem = `${ask === undefined ? 'probe.' : ''}${protocol}-${port}.${what}`;
  for (let count = 1; ; count++) {
    const name = `${stem}${count === 1 ? '' : `.${count}`}.${end}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

// Names in a case: of the folder, of its files, and how a request is described (src/case/format.ts has the format).
import type { Exchange } from '../../../case/format.ts';
import type { ReadRequest } from '../../../transport/request.ts';

/** What is known of an exchange before it is answered. */
export type Asked = Omit<Exchange, 'file' | 'elapsedMs'>;

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
          ...(request.isBare && { bare: true }),
        },
        ...(request.carry !== undefined && { auth: 'carried' as const }),
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
        ...(request.auth !== 'none' && { auth: authOf(request.auth) }),
      };
  }
}

function authOf(auth: Exclude<Extract<ReadRequest, { via: 'http' }>['auth'], 'none'>) {
  if (auth === 'digest') return auth;
  return 'carry' in auth ? 'carried' : 'session';
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
  const { transport, port, send, path, ask, auth } = exchange;
  const protocol = transport === 'cgminer-tcp' ? 'tcp' : transport === 'whatsminer-v3' ? 'v3' : 'http';
  const what = ask ?? slug(String(send?.command ?? send?.cmd ?? (path === '/' ? 'start-page' : path)));
  const start = answer.trimStart();
  const end = /^[[{]/.test(start) ? 'json' : /^</.test(start) ? 'html' : 'txt';
  const kind = auth === 'login' ? 'login.' : ask === undefined ? 'probe.' : '';
  const stem = `${kind}${protocol}-${port}.${what}`;
  for (let count = 1; ; count++) {
    const name = `${stem}${count === 1 ? '' : `.${count}`}.${end}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

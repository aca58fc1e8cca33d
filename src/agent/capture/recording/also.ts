// Requests that a person names for a capture: a page (`/path`, `http:8080/path`) or a command of CGMiner's API
// (`tcp:devs`, `tcp:8359:devs`). Only what reads: a name that says that it changes something is refused.
import { ConfigError } from '../../../base/errors.ts';
import { changeNamedIn } from '../../../driver/check/change-words.ts';
import type { CgminerRequest, HttpRequest } from '../../../transport/request.ts';

export type Also = { readonly name: string; readonly ask: CgminerRequest | HttpRequest };

export const ALSO_FORMS = "'/cgi-bin/stats.cgi', 'http:8080/api/state', 'tcp:devs' or 'tcp:8359:devs'";

const PAGE = /^(?:http:(\d{1,5}))?(\/[\x21-\x7e]{0,500})$/;
const COMMAND = /^tcp:(?:(\d{1,5}):)?([a-z_]\w{0,63})(?:\|([\x20-\x7e]{1,200}))?$/i;
/** Throws ConfigError. */
export function readAlso(texts: readonly string[]): readonly Also[] {
  return texts.map((text) => {
    const wrong = (message: string) => new ConfigError('read the command line', [{ path: '--also', message }]);
    const also = pageIn(text) ?? commandIn(text);
    if (also === undefined) throw wrong(`'${text}' is no request such as ${ALSO_FORMS}`);
    const changes = changeNamedIn(also.what);
    if (changes !== undefined)
      throw wrong(`'${text}' may change the device ('${changes}'): a capture asks only what reads`);
    return { name: `also.${slugOf(also.what)}`, ask: also.ask };
  });
}

function pageIn(text: string) {
  const [, port, path] = PAGE.exec(text) ?? [];
  if (path === undefined) return undefined;
  const ask: HttpRequest = { via: 'http', method: 'GET', path, auth: 'none', as: 'text', ...portOf(port) };
  return { what: path, ask };
}

function commandIn(text: string) {
  const [, port, command, parameter] = COMMAND.exec(text) ?? [];
  if (command === undefined) return undefined;
  const ask: CgminerRequest = {
    via: 'cgminer',
    command,
    ...(parameter !== undefined && { parameter }),
    ...portOf(port),
  };
  return { what: command, ask };
}

const portOf = (port: string | undefined) => (port === undefined ? {} : { port: Number(port) });

const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40) || 'start-page';

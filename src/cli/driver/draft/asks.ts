// What a case gives a driver to ask: the requests that were answered with something that can be read. Pure.
import type { CaseFolder } from '../../../case/folder.ts';
import type { Exchange } from '../../../case/format.ts';
import { repairJson } from '../../../transport/cgminer/json-fixer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A request of the new driver, and what the device answered. */
export type DraftAsk = {
  /** Its name in the driver. */
  readonly name: string;
  readonly every: 'poll' | 'slow' | 'static';
  readonly recorded: Exchange;
  readonly answer: Fields;
};

/** The commands of CGMiner's API that a driver wants, and how often. `version` is asked by every scan as well. */
const COMMANDS = { summary: 'poll', devs: 'poll', pools: 'slow', version: 'static' } as const;
/** Pages of the web that are asked at each poll, and in all. */
const POLLED_PAGES = 2;
const MOST_PAGES = 8;
/** One and the same answer to so many requests is the page of a login, or of nothing. */
const EQUAL_PAGES = 3;

export function asksOf({ about, bytesOf }: CaseFolder): readonly DraftAsk[] {
  const names = new Set<string>();
  const answered = about.responses.flatMap((recorded) => {
    const answer = recorded.failure === undefined ? fieldsIn(bytesOf(recorded.file)) : undefined;
    return answer === undefined ? [] : [{ recorded, answer }];
  });
  const commands = Object.entries(COMMANDS).flatMap(([command, every]): DraftAsk[] => {
    // Asked of a driver before it was asked of everyone.
    const found =
      answered.findLast(({ recorded }) => isCommand(recorded, command) && recorded.ask !== undefined) ??
      answered.find(({ recorded }) => isCommand(recorded, command));
    if (found === undefined || !isTaken(found.answer)) return [];
    names.add(command);
    return [{ name: command, every, ...found }];
  });
  const seen = new Set<string>();
  const pages = answered.filter(({ recorded }) => {
    const { transport, status = 0, path = '/', port, auth } = recorded;
    const isPage =
      transport === 'http' && auth !== 'login' && status < 300 && path !== '/' && !isCommon(about.responses, recorded);
    const key = `${port} ${path}`;
    return isPage && !seen.has(key) && seen.add(key) !== undefined;
  });
  const web = pages.slice(0, MOST_PAGES).map(({ recorded, answer }, place): DraftAsk => {
    const every = recorded.every ?? (place < POLLED_PAGES ? 'poll' : 'slow');
    return { name: nameFor(recorded.path ?? '', names), every, recorded, answer };
  });
  return [...commands, ...web];
}

const isCommand = ({ transport, port, send = {} }: Exchange, command: string) =>
  transport === 'cgminer-tcp' && port === 4028 && send.command === command && send.bare === undefined;

/** CGMiner's own refusal is an answer too. */
const isTaken = ({ STATUS: status }: Fields): boolean => {
  const [first] = Array.isArray(status) ? status : [status];
  return Object(first).STATUS !== 'E';
};

const isCommon = (responses: readonly Exchange[], { file }: Exchange) =>
  new Set(responses.filter((other) => other.file === file).map(({ path }) => path)).size >= EQUAL_PAGES;

/** `/cgi-bin/get_system_info.cgi` is `systemInfo`. */
function nameFor(path: string, taken: Set<string>): string {
  const [last = ''] = (path.split('?')[0] ?? '').split('/').filter(Boolean).slice(-1);
  const words = last
    .replace(/\.\w{1,5}$/, '')
    .replace(/^get(?=[_A-Z-])/, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const [first = 'page', ...rest] = words;
  const base = `${first.charAt(0).toLowerCase()}${first.slice(1)}${rest.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('')}`;
  const start = /^[a-z]/.test(base) ? base : `page${base}`;
  for (let count = 1; ; count++) {
    const name = count === 1 ? start : `${start}${count}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

function fieldsIn(bytes: Buffer): Fields | undefined {
  const value = repairJson(bytes)?.value;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

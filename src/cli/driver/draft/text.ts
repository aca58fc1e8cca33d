// The text of a new driver, formatted as the project formats. For a folder of drivers it is a function of the kit, for
// the project a module that imports the kit. Pure.
import { kitParam } from '../../../driver/load/kit-types.ts';
import type { DraftAsk } from './asks.ts';
import { type DraftField, leftOf } from './fields.ts';
import type { Recognition } from './recognition.ts';

/** `web` = behind a login page that a person has to describe first; `none` = nothing was recorded. */
export type DraftLogin = 'none' | 'digest' | 'basic' | 'page';

export type Draft = {
  readonly id: string;
  readonly make: string;
  readonly models: string;
  readonly firmware: string;
  readonly evidence: 'recording' | 'claimed';
  readonly asks: readonly DraftAsk[];
  readonly fields: readonly DraftField[];
  readonly recognition: Recognition;
  readonly login: DraftLogin;
};

export type Place = 'folder' | 'project';

const quoted = (text: string): string => {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', ' ');
  if (!escaped.includes("'")) return `'${escaped}'`;
  return escaped.includes('"') ? `'${escaped.replaceAll("'", "\\'")}'` : `"${escaped}"`;
};
const MOST_COLUMNS = 120;
const keyOf = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key));
/** Make and models, without the make twice. */
export const nameOf = ({ make, models }: Pick<Draft, 'make' | 'models'>): string =>
  models.toLowerCase().startsWith(make.toLowerCase()) ? models : `${make} ${models}`;
/** `my-miner` as a name in code. */
export const constantOf = (id: string): string => id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

export function driverText(draft: Draft, place: Place): string {
  const { id } = draft;
  const session = sessionLines(draft);
  const comment = `// ${nameOf(draft)}: begun by \`pithead driver new\`. The comments say what is left to do.`;
  const lines = (indent: string, each: readonly string[]) => each.map((line) => `${indent}${line}`);
  if (place === 'project')
    return [
      comment,
      "import * as kit from '../../src/driver/kit/index.ts';",
      '',
      ...(session.length > 0 ? [...session, ''] : []),
      `export const ${constantOf(id)} = kit.defineDriver({`,
      ...lines('  ', specLines(draft)),
      '});',
      '',
    ].join('\n');
  const head = ['// @ts-check', comment, '', kitParam('.')];
  if (session.length === 0)
    return [
      ...head,
      'export default (kit) =>',
      '  kit.defineDriver({',
      ...lines('    ', specLines(draft)),
      '  });',
      '',
    ].join('\n');
  return [
    ...head,
    'export default (kit) => {',
    ...lines('  ', session),
    '',
    '  return kit.defineDriver({',
    ...lines('    ', specLines(draft)),
    '  });',
    '};',
    '',
  ].join('\n');
}

function sessionLines({ login, id }: Draft): readonly string[] {
  if (login !== 'page') return [];
  return [
    '// What the login page sends, and where the answer holds the token: see the network view of a browser. A login that',
    '// sets a cookie is a `cookieSession`.',
    'const session = kit.tokenSession({',
    `  name: ${quoted(id)},`,
    "  path: '/api/login',",
    '  json: ({ user, password }) => ({ user, password }),',
    "  token: (answer) => answer.text('token'),",
    '});',
  ];
}

function specLines(draft: Draft): readonly string[] {
  const { id, make, models, firmware } = draft;
  return [
    `id: ${quoted(id)},`,
    `make: ${quoted(make)},`,
    '// `recording` = there is a case of a real device, `claimed` = there is none.',
    `covers: [{ models: ${quoted(models)}, firmware: ${quoted(firmware)}, evidence: '${draft.evidence}' }],`,
    ...familyLines(draft),
    '// How often: at each `poll` (as few as possible), `slow` (pools, errors, modes), `static` (names, versions).',
    'asks: {',
    ...askLines(draft).map((line) => `  ${line}`),
    '},',
    ...loginLines(draft),
    ...readLines(draft),
  ];
}

function familyLines({ id, recognition }: Draft): readonly string[] {
  const { tcpWord, title, realm, server, page } = recognition;
  const pages = [
    ...(title === undefined ? [] : [`{ body: ${quoted(`<title>${title}`)} }`]),
    ...(realm === undefined ? [] : [`{ status: 401, realm: ${quoted(realm)} }`]),
  ];
  const program = server?.match(/^[A-Za-z][\w-]{2,30}/)?.[0];
  return [
    '// By what it shows itself, and by what it proves what it is: words that no other device has.',
    'families: [',
    '  {',
    `    id: ${quoted(id)},`,
    ...(tcpWord === undefined ? [] : [`    tcp: [{ words: [${quoted(tcpWord)}] }],`]),
    ...(pages.length === 0 ? [] : [`    startPages: [${pages.join(', ')}],`]),
    ...(realm === undefined || program === undefined
      ? []
      : [`    realms: [{ realm: ${quoted(realm)}, server: /^${program}/ }],`]),
    ...(page === undefined ? [] : pageLines(page).map((line) => `    ${line}`)),
    '  },',
    '],',
  ];
}

function pageLines({ path, shape }: NonNullable<Recognition['page']>): readonly string[] {
  const keys = shape.map(
    ([key, type, is]) => `${keyOf(key)}: kit.z.${is === undefined ? `${type}()` : `literal(${quoted(is)})`}`,
  );
  const line = `page: { path: ${quoted(path)}, shape: kit.z.looseObject({ ${keys.join(', ')} }) },`;
  if (line.length <= MOST_COLUMNS - 12) return [line];
  return [
    'page: {',
    `  path: ${quoted(path)},`,
    '  shape: kit.z.looseObject({',
    ...keys.map((key) => `    ${key},`),
    '  }),',
    '},',
  ];
}

function askLines({ asks, login }: Draft): readonly string[] {
  if (asks.length === 0)
    return login === 'page'
      ? ["status: { every: 'poll', ...kit.get('/api/status', session) },"]
      : [
          "summary: { every: 'poll', ...kit.tcp('summary'), needs: 'SUMMARY' },",
          "pools: { every: 'slow', ...kit.tcp('pools'), needs: 'POOLS' },",
        ];
  return asks.map(
    ({ name, every, recorded }) => `${keyOf(name)}: { every: ${quoted(every)}, ...${requestCode(recorded, login)} },`,
  );
}

function requestCode({ transport, send, path, port, auth }: DraftAsk['recorded'], login: DraftLogin): string {
  if (transport === 'cgminer-tcp') {
    const command = String(send?.command);
    const needs = NEEDS[command];
    return `kit.tcp(${quoted(command)})${needs === undefined ? '' : `, needs: ${quoted(needs)}`}`;
  }
  const how =
    auth === 'digest'
      ? "'digest'"
      : auth === 'carried' && login === 'basic'
        ? 'kit.basicLogin'
        : auth === 'session'
          ? 'session'
          : undefined;
  const more = port === 80 ? '' : `, { port: ${port} }`;
  return `kit.get(${quoted(path ?? '/')}${how === undefined ? (more === '' ? '' : ", 'none'") : `, ${how}`}${more})`;
}

/** Without it an answer of CGMiner's API was not understood. */
const NEEDS: Readonly<Record<string, string>> = {
  summary: 'SUMMARY',
  devs: 'DEVS',
  stats: 'STATS',
  pools: 'POOLS',
  version: 'VERSION',
};

function loginLines({ login }: Draft): readonly string[] {
  switch (login) {
    case 'none':
      return [];
    case 'digest':
      return ["login: { kind: 'digest' },"];
    case 'basic':
      return ["login: { kind: 'session' },"];
    case 'page':
      return ["login: { kind: 'token' },"];
  }
}

function readLines(draft: Draft): readonly string[] {
  const { asks } = draft;
  const fields = asks.length > 0 ? draft.fields : TO_FILL_IN[draft.login === 'page' ? 'page' : 'cgminer'];
  const code = fields.filter(({ isOpen }) => isOpen === undefined).map((each) => each.code);
  const names = asks.length > 0 ? asks.map(({ name }) => name) : ['summary', 'pools', 'status'];
  const hasRow = code.some((text) => /(?<!\.)\brow\b/.test(text));
  const used = names.filter(
    (name) =>
      (hasRow && name === 'summary') || code.some((text) => new RegExp(String.raw`(?<![\w.'])${name}\b`).test(text)),
  );
  const left = asks.flatMap((ask) => commentLines(leftOf(ask, fields)));
  return [
    '// What is not there stays undefined: never 0, and no guess. The units are in the names.',
    used.length === 0 ? 'read() {' : `read({ ${used.join(', ')} }) {`,
    ...(hasRow ? ["  const row = summary.row('SUMMARY');"] : []),
    ...(fields.length === 0 && left.length === 0
      ? ['  return {};']
      : ['  return {', ...[...fields.flatMap(fieldLines), ...left].map((line) => `    ${line}`), '  };']),
    '},',
  ];
}

/** A comment, wrapped so that it fits into the line at any depth of the code. */
function commentLines(text: string | undefined): readonly string[] {
  const lines: string[] = [];
  for (const word of text?.split(' ') ?? []) {
    const longer = `${lines.at(-1) ?? '//'} ${word}`;
    if (lines.length > 0 && longer.length <= MOST_COLUMNS - 12) lines[lines.length - 1] = longer;
    else lines.push(lines.length === 0 ? longer : `//   ${word}`);
  }
  return lines;
}

/** Where nothing was recorded that could be read. */
const TO_FILL_IN: Readonly<Record<'cgminer' | 'page', readonly DraftField[]>> = {
  cgminer: [
    { field: '...', code: 'kit.hashrates(row)' },
    { field: 'uptimeS', code: "row.seconds('Elapsed')" },
    { field: 'pools', code: 'kit.cgminerPools(pools)' },
  ],
  page: [{ field: 'uptimeS', code: "status.seconds('uptime')" }],
};

function fieldLines({ field, code, isOpen }: DraftField): readonly string[] {
  if (isOpen) return [`// ${field}: ${code}, // its unit? Compare it with the page of the device.`];
  return `${field === '...' ? '...' : `${field}: `}${code},`.split('\n');
}

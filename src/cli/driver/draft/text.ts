// The text of a new driver, formatted as the project formats. For a folder of drivers it is a function of the kit, for
// the project a module that imports the kit. Pure.
import type { DraftAsk } from './asks.ts';
import type { DraftField } from './fields.ts';
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
  const body = [...sessionLines(draft), ...specLines(draft)];
  const used = namesIn(body);
  const comment = `// ${nameOf(draft)}: begun by \`pithead driver new\`. The comments say what is left to do.`;
  const indented = body.map((line) => (line === '' ? '' : `  ${line}`));
  const head = sessionLines(draft);
  if (place === 'project') {
    const spec = specLines(draft);
    return [
      comment,
      wrapped('import { ', used, " } from '../../src/driver/kit/index.ts';"),
      '',
      ...head,
      ...(head.length > 0 ? [''] : []),
      `export const ${constantOf(draft.id)} = defineDriver({`,
      ...spec.map((line) => `  ${line}`),
      '});',
      '',
    ].join('\n');
  }
  const open = wrapped('export default ({ ', used, ' }) =>');
  if (head.length === 0)
    return [comment, open, '  defineDriver({', ...indented.map((line) => `  ${line}`), '  });', ''].join('\n');
  return [
    comment,
    `${open} {`,
    ...head.map((line) => (line === '' ? '' : `  ${line}`)),
    '',
    '  return defineDriver({',
    ...specLines(draft).map((line) => `    ${line}`),
    '  });',
    '};',
    '',
  ].join('\n');
}

/** On one line where it fits, else a name per line. */
function wrapped(start: string, names: readonly string[], end: string): string {
  const line = `${start}${names.join(', ')}${end}`;
  if (line.length <= MOST_COLUMNS - 2) return line;
  return `${start.trimEnd()}\n${names.map((name) => `  ${name},`).join('\n')}\n${end.trimStart()}`;
}

const KIT = [
  'basicLogin',
  'cgminerPools',
  'defineDriver',
  'get',
  'hashrates',
  'tcp',
  'tokenSession',
  'whenS',
  'z',
] as const;

const namesIn = (lines: readonly string[]): readonly string[] => {
  const code = lines.filter((line) => !line.trimStart().startsWith('//')).join('\n');
  return KIT.filter(
    (name) => name === 'defineDriver' || new RegExp(String.raw`(?<![\w'])(?<!(?:^|[^.])\.)${name}[(.),]`).test(code),
  );
};

function sessionLines({ login, id }: Draft): readonly string[] {
  switch (login) {
    case 'page':
      return [
        '// What the login page sends, and where the answer holds the token: see the network view of a browser. A login that',
        '// sets a cookie is `cookieSession`.',
        'const session = tokenSession({',
        `  name: ${quoted(id)},`,
        "  path: '/api/login',",
        '  json: ({ user, password }) => ({ user, password }),',
        "  token: (answer) => answer.text('token'),",
        '});',
      ];
    case 'basic':
    case 'none':
    case 'digest':
      return [];
  }
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
  const keys = shape.map(([key, type]) => `${keyOf(key)}: z.${type}()`);
  const line = `page: { path: ${quoted(path)}, shape: z.looseObject({ ${keys.join(', ')} }) },`;
  if (line.length <= MOST_COLUMNS - 12) return [line];
  return [
    'page: {',
    `  path: ${quoted(path)},`,
    '  shape: z.looseObject({',
    ...keys.map((key) => `    ${key},`),
    '  }),',
    '},',
  ];
}

function askLines({ asks, login }: Draft): readonly string[] {
  if (asks.length === 0)
    return login === 'page'
      ? [`status: { every: 'poll', ...get('/api/status', session) },`]
      : ["summary: { every: 'poll', ...tcp('summary') },", "pools: { every: 'slow', ...tcp('pools') },"];
  return asks.map(
    ({ name, every, recorded }) => `${keyOf(name)}: { every: ${quoted(every)}, ...${requestCode(recorded, login)} },`,
  );
}

function requestCode({ transport, send, path, port, auth }: DraftAsk['recorded'], login: DraftLogin): string {
  if (transport === 'cgminer-tcp') return `tcp(${quoted(String(send?.command))})`;
  const how =
    auth === 'digest'
      ? "'digest'"
      : auth === 'carried' && login === 'basic'
        ? 'basicLogin'
        : auth === 'session'
          ? 'session'
          : undefined;
  const more = port === 80 ? '' : `, { port: ${port} }`;
  return `get(${quoted(path ?? '/')}${how === undefined ? (more === '' ? '' : ", 'none'") : `, ${how}`}${more})`;
}

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

function readLines({ asks, fields }: Draft): readonly string[] {
  const known = fields.length > 0 ? fields : NOTHING_RECORDED;
  const code = known.filter(({ isOpen }) => isOpen === undefined).map((each) => each.code);
  const names = asks.length > 0 ? asks.map(({ name }) => name) : ['summary', 'pools'];
  const used = names.filter(
    (name) =>
      code.some((text) => text.includes('row') && name === 'summary' && /\brow\b/.test(text)) ||
      code.some((text) => new RegExp(String.raw`\b${name}\b`).test(text)),
  );
  const hasRow = code.some((text) => /(?<!\.)\brow\b/.test(text));
  return [
    '// What is not there stays undefined: never 0, and no guess. The units are in the names.',
    used.length === 0 ? 'read() {' : `read({ ${used.join(', ')} }) {`,
    ...(hasRow ? ["  const row = summary.row('SUMMARY');"] : []),
    '  return {',
    ...known.map((each) => `    ${fieldLine(each)}`),
    '  };',
    '},',
  ];
}

const NOTHING_RECORDED: readonly DraftField[] = [
  { field: '...', code: 'hashrates(row)' },
  { field: 'uptimeS', code: "row.seconds('Elapsed')" },
  { field: 'pools', code: 'cgminerPools(pools)' },
];

function fieldLine({ field, code, isOpen }: DraftField): string {
  if (isOpen) return `// ${field}: ${code}, // its unit? Compare it with the page of the device.`;
  return field === '...' ? `...${code},` : `${field}: ${code},`;
}

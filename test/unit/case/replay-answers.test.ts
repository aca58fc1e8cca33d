// Which recorded answer belongs to a request, and what a session is known by.
import { expect, test } from 'vitest';
import { type Exchange, exchangeSchema } from '../../../src/case/format.ts';
import { loginWallOf } from '../../../src/case/login-wall.ts';
import { answersToPage, answerToCommand, answerToFrame, parseCommand } from '../../../src/case/replay/answers.ts';
import { createDigestGuard, grantsOf } from '../../../src/case/replay/login.ts';

const exchange = (fields: object): Exchange => exchangeSchema.parse({ file: 'a.json', port: 80, ...fields });
const tcp = (file: string, send: object) => exchange({ file, transport: 'cgminer-tcp', port: 4028, send });
const page = (file: string, path: string, more: object = {}) =>
  exchange({ file, transport: 'http', method: 'GET', path, status: 200, ...more });

test('a command is whole at the end of its JSON or of its line, and not before', () => {
  expect(parseCommand('{"command":"summ')).toBeUndefined();
  expect(parseCommand('{"command":"summary"}')).toEqual({ sent: { command: 'summary' }, isBare: false });
  expect(parseCommand('{"command":"asc","parameter":"0"}\n\0')?.sent).toEqual({ command: 'asc', parameter: '0' });
  expect(parseCommand('asc|0\n')).toEqual({ sent: { command: 'asc', parameter: '0' }, isBare: true });
  expect(parseCommand('{nonsense')).toBeUndefined();
});

test('a command is answered as it was recorded: with its parameter, its form and its extra keys', () => {
  const all = [
    tcp('bare', { command: 'version', bare: true }),
    tcp('json', { command: 'version' }),
    tcp('new', { command: 'stats', new_api: true }),
    tcp('one', { command: 'asc', parameter: '1' }),
  ];
  const fileOf = (text: string) => {
    const command = parseCommand(text);
    return command && answerToCommand(all, command)?.file;
  };
  expect(fileOf('{"command":"version"}')).toBe('json');
  expect(fileOf('{"cmd":"version","parameter":""}')).toBe('json');
  expect(fileOf('version\n')).toBe('bare');
  expect(fileOf('{"command":"stats","new_api":true}')).toBe('new');
  expect(fileOf('{"command":"stats"}')).toBeUndefined();
  expect(fileOf('{"command":"asc","parameter":"1"}')).toBe('one');
  expect(fileOf('{"command":"asc","parameter":"2"}')).toBeUndefined();
});

test('a frame is answered by all that it holds', () => {
  const all = [exchange({ transport: 'whatsminer-v3', port: 4433, send: { cmd: 'get.miner', param: 'psu' } })];
  expect(answerToFrame(all, { cmd: 'get.miner', param: 'psu' })).toBe(all[0]);
  expect(answerToFrame(all, { cmd: 'get.miner' })).toBeUndefined();
});

test('a page is answered by method, path with query, and body', () => {
  const all = [
    page('plain', '/a'),
    page('query', '/a?b=1'),
    page('json', '/g', { method: 'POST', body: { query: '{ a }' } }),
    page('form', '/g', { method: 'POST', body: { post: '4' } }),
  ];
  const filesOf = (method: string, url: string, body = '') =>
    answersToPage(all, { method, url, body }).map(({ file }) => file);
  expect(filesOf('GET', '/a')).toEqual(['plain']);
  expect(filesOf('GET', '/a?b=1')).toEqual(['query']);
  expect(filesOf('POST', '/a')).toEqual([]);
  expect(filesOf('POST', '/g', '{"query":"{ a }"}')).toEqual(['json']);
  expect(filesOf('POST', '/g', 'post=4')).toEqual(['form']);
  expect(filesOf('POST', '/g', '{"query":"{ b }"}')).toEqual([]);
});

test('a session is known by cookies and texts of the answer to its login, and by none of a refusal', () => {
  const login = page('login', '/login', { auth: 'login', headers: { 'set-cookie': 'sid=secret-1\nlang=en' } });
  expect(grantsOf(login, '{"token":"secret-2","ok":true}')).toEqual(['secret-1', 'secret-2']);
  expect(grantsOf(login, 'secret-3')).toEqual(['secret-1', 'secret-3']);
  expect(grantsOf({ ...login, status: 403 }, '{"token":"secret-2"}')).toEqual([]);
});

test('digest wants its own nonce, the path of the request and the password', () => {
  const guard = createDigestGuard('Acme', { user: 'admin', password: 'right' });
  const letsIn = (authorization: string) => guard.letsIn({ method: 'GET', url: '/a', headers: { authorization } });
  expect(guard.challenge()).toMatch(/^Digest realm="Acme", qop="auth", nonce="[0-9a-f]{32}"/);
  expect(letsIn('')).toBe(false);
  expect(letsIn('Digest username="admin", uri="/a", nonce="0", response="0"')).toBe(false);
  expect(letsIn('Basic YWRtaW46cmlnaHQ=')).toBe(false);
});

test('a login wall is named by its challenge, by its form, and by one page for everything', () => {
  const wall = (responses: readonly Exchange[], text = '') => loginWallOf(responses, () => text);
  const refused = (challenge?: string) =>
    page('a', '/a', { status: 401, ...(challenge !== undefined && { headers: { 'www-authenticate': challenge } }) });
  expect(wall([refused('Digest realm="x"')])).toBe('digest');
  expect(wall([refused('Basic realm="x"')])).toBe('basic');
  expect(wall([refused()])).toBe('page');
  expect(wall([page('a', '/')], '<input name=p type="password">')).toBe('page');
  expect(wall(['/a', '/b', '/c'].map((path) => page('same', path)))).toBe('page');
  expect(wall(['/a', '/b'].map((path) => page('same', path)))).toBeUndefined();
  expect(wall([page('a', '/a'), page('b', '/b')])).toBeUndefined();
  // What lies behind it was answered.
  expect(wall([refused('Digest realm="x"'), page('b', '/b', { auth: 'digest' })])).toBeUndefined();
});

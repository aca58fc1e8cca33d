// Drivers of a folder, each with its own kind of mistake, in a real process: what is refused, what is ended, and that
// the others go on.
import { chmodSync, chownSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reportFormats } from '../../../../src/agent/ip-reports/formats.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { PeerError } from '../../../../src/base/errors.ts';
import { type EvidenceParts, Families } from '../../../../src/driver/family.ts';
import type { MinerLink, MinerRequest } from '../../../../src/transport/request.ts';
import { driverText, folderWith, open, put, RAW, READ } from './driver-files.ts';

const link = (answer: (request: MinerRequest) => unknown): MinerLink => ({
  ip: '192.0.2.9',
  send: async (request) => answer(request),
});
const good = driverText('good');
const isRoot = process.geteuid?.() === 0;
const isPosix = process.platform !== 'win32';

describe('a folder', () => {
  test('gives its drivers in every form, behind those of the program', async () => {
    const { drivers, folder } = await open(
      folderWith({
        'plain.mjs': driverText('plain'),
        'old.cjs': driverText('old').replace('export default', 'module.exports ='),
        'typed.ts': driverText('typed', '', 'type Name = string;\nexport const kitVersion: number = 1;'),
        'several/index.mjs': `import { id } from './id.mjs';\n${driverText('several').replace("id: 'several',", 'id,')}`,
        'several/id.mjs': "export const id = 'several';\n",
        'notes.txt': 'nothing',
        'types.d.ts': 'declare const a: 1;',
      }),
    );
    expect(folder.refused()).toEqual([]);
    expect(drivers.map(({ id }) => id)).toEqual(['old', 'plain', 'several', 'typed']);
    for (const driver of drivers) {
      expect(await driver.identify({ family: driver.id, isProven: true })).toEqual({
        ...{ confidence: 'sure', make: 'Toy', model: 'T1' },
      });
      expect(await driver.identify({ family: 'other' })).toBeUndefined();
      expect(await driver.read(RAW, {})).toEqual(READ);
      expect(await driver.read({ summary: 'no' }, {})).toEqual({ reading: { make: 'Toy' }, unparsable: ['summary'] });
    }
  });

  test.runIf(isPosix)('may be a link', async () => {
    const folder = folderWith({ 'several/index.mjs': driverText('several'), 'several/id.mjs': '' });
    const link = join(folderWith({}), 'link');
    symlinkSync(folder, link);
    const { driver } = await open(link);
    expect(await driver('several').read(RAW, {})).toEqual(READ);
  });

  test('that is closed while it loads starts nothing more', async () => {
    const { folder } = await open(folderWith({ 'good.mjs': good, 'other.mjs': driverText('other') }));
    await folder.close();
    const loading = folder.load();
    await folder.close();
    expect(await loading).toEqual([]);
    expect(folder.faults()).toEqual([]);
  });

  test('that is not there is an empty one', async () => {
    const { drivers } = await open('/nowhere/at/all');
    expect(drivers).toEqual([]);
  });

  test('names each refusal with its reason', async () => {
    const builtIn = [{ ...(await open(folderWith({ 'avalon.mjs': driverText('avalon') }))).driver('avalon') }];
    const { folder, drivers } = await open(
      folderWith({
        'avalon.mjs': driverText('avalon'),
        'broken.mjs': 'export default (kit) => {',
        'Large.mjs': good,
        'named.mjs': driverText('other'),
        'newer.mjs': `export const kitVersion = 2;\n${driverText('newer')}`,
        'nothing.mjs': 'export const a = 1;',
        'spins.mjs': 'export default () => { for (;;) {} };',
        'thief.mjs': driverText('thief', "families: [{ id: 'avalon', tcp: [{ words: ['AVALON'] }] }],"),
        'throws.mjs': "export default () => { throw new Error('out of ideas'); };",
        'twice.cjs': 'module.exports = 1',
        'twice.mjs': good,
        'wrong.mjs': driverText(
          'wrong',
          "asks: { a: { every: 'often', via: 'cgminer', command: 'summary' } }, quirks: { pauseMs: 1 },",
        ),
      }),
      { builtIn },
    );
    const reasons = Object.fromEntries(folder.refused().map(({ id, reason }) => [id, reason]));
    expect(reasons).toEqual({
      avalon: expect.stringContaining('drivers.avalon.replace: true'),
      broken: expect.stringContaining('Unexpected'),
      Large: expect.stringContaining("'Large' is no id"),
      named: "its id is 'other': it must be called as its file, 'named'",
      newer: 'is written for version 2 of the kit; this program has version 1',
      nothing: expect.stringContaining('exports no function'),
      spins: 'did not answer within 2000 ms',
      thief: "its family 'avalon' is one of driver avalon",
      throws: 'throws.mjs:1:30: out of ideas',
      twice: 'the folder has more than one twice: leave one',
      wrong: expect.stringMatching(/asks\.a\.every: .*quirks: /s),
    });
    expect(drivers).toEqual(builtIn);
  });

  test('replaces a driver of the program where the configuration says so', async () => {
    const path = folderWith({ 'good.mjs': good });
    const builtIn = [{ ...(await open(path)).driver('good') }];
    const { drivers } = await open(path, { builtIn, settings: { good: { replace: true } } });
    expect(drivers.map(({ origin }) => origin)).toEqual([join(path, 'good.mjs')]);
    expect(drivers[0]).not.toBe(builtIn[0]);
  });

  test.runIf(isPosix)('is refused where others may write', async () => {
    const path = folderWith({ 'good.mjs': good, 'inner/index.mjs': driverText('inner'), 'inner/part.mjs': '' });
    const reasons = async () =>
      Object.fromEntries((await open(path)).folder.refused().map((each) => [each.id, each.reason]));
    expect(await reasons()).toEqual({});
    chmodSync(join(path, 'good.mjs'), 0o664);
    chmodSync(join(path, 'inner', 'part.mjs'), 0o646);
    expect(await reasons()).toEqual({
      good: `${path}/good.mjs can be written by its group: chmod go-w ${path}/good.mjs`,
      inner: `${path}/inner/part.mjs can be written by all users: chmod go-w ${path}/inner/part.mjs`,
    });
    chmodSync(join(path, 'good.mjs'), 0o644);
    chmodSync(path, 0o777);
    expect((await reasons()).good).toBe(`${path} can be written by all users: chmod go-w ${path}`);
    chmodSync(path, 0o1777);
    expect(await reasons()).toEqual({ inner: expect.stringContaining('part.mjs') });
  });

  test.runIf(isPosix && isRoot)('is refused where it belongs to another user', async () => {
    const path = folderWith({ 'good.mjs': good });
    chownSync(join(path, 'good.mjs'), 4_711, 4_711);
    const { folder } = await open(path);
    expect(folder.refused()[0]?.reason).toBe(
      `${path}/good.mjs belongs to user 4711: only root and user 0 may own it (chown)`,
    );
  });
});

describe('a driver', () => {
  const FAMILY = `families: [{ id: 'good', tcp: [{ words: ['GOOD'], isHint: true }], startPages: [{ realm: 'goodMiner' }],
    page: { path: '/good.json', shape: z.looseObject({ kind: z.string().regex(/^good$/) }), title: 'Good' },
    realms: [{ realm: 'goodMiner', server: /^goodd/ }] }],`;

  test('proves its family by shapes and patterns, which are judged where it runs', async () => {
    const { driver } = await open(folderWith({ 'good.mjs': driverText('good', FAMILY) }));
    const families = new Families([driver('good')]);
    const web = { status: 200, body: '<title>Good miner</title>' };
    const judged = async (answers: EvidenceParts) => {
      await families.judge(answers);
      return families.isProven('good', answers);
    };
    const page = (kind: string) => ({ status: 200, body: JSON.stringify({ kind }) });
    expect(await judged({ web, familyPage: page('good') })).toBe(true);
    expect(await judged({ web, familyPage: page('bad') })).toBe(false);
    expect(await judged({ web })).toBe(false);
    const challenge = { status: 401, body: '', authenticate: 'Digest realm="goodMiner"' };
    expect(await judged({ web: { ...challenge, server: 'goodd/1' } })).toBe(true);
    expect(await judged({ web: { ...challenge, server: 'nginx' } })).toBe(false);
    const answers = { web: { ...challenge, server: 'goodd/1' } };
    await families.judge(answers);
    expect(families.evidenceOf(answers)).toMatchObject({ family: 'good', isProven: true });
  });

  test.each([
    ['words', '{ port: 14235, words: /^([\\d.]+),([0-9a-f:]+)$/ }', '192.0.2.7,02:00:00:00:00:07'],
    [
      'fields',
      '{ port: 14235, fields: z.object({ ip: z.string(), mac: z.string() }) }',
      '{"ip":"192.0.2.7","mac":"02:00:00:00:00:07"}',
    ],
  ])('has an IP report of %s, which is read where it runs', async (_, form, text) => {
    const { drivers } = await open(folderWith({ 'good.mjs': driverText('good', `ipReport: ${form},`) }));
    const format = reportFormats(drivers).find(({ port }) => port === 14_235);
    expect(await format?.read(Buffer.from(text))).toEqual({ ip: '192.0.2.7', mac: '02:00:00:00:00:07' });
    expect(await format?.read(Buffer.from('nonsense'))).toBeUndefined();
  });

  test('has asks with functions: what is lacking, a session, a login that is carried', async () => {
    const asks = `asks: {
        summary: { every: 'poll', via: 'cgminer', command: 'summary' },
        more: { every: 'poll', via: 'http', method: 'GET', path: '/more', as: 'json', insteadOf: 'summary',
          isLacking: (answer) => answer.rate === undefined,
          auth: { name: 'web', open: ({ password }) => ({ via: 'http', method: 'POST', path: '/in', form: { password } }),
            grant: ({ status }) => (status === 200 ? { cookie: 'a' } : undefined) } },
        page: { every: 'slow', via: 'http', method: 'GET', path: '/page', as: 'text',
          auth: { carry: ({ user }) => ({ headers: { 'x-user': user } }) } },
      },
      afterLogin: { mayBe: ({ family }) => family === undefined, ask: { via: 'cgminer', command: 'who' },
        identify: (answer) => (answer === 'me' ? { confidence: 'sure', model: 'T9' } : undefined) },`;
    const { driver } = await open(folderWith({ 'good.mjs': driverText('good', asks) }));
    const { asks: made, afterLogin } = driver('good');
    expect(await made.more?.isLacking?.({ rate: 1 })).toBe(false);
    expect(await made.more?.isLacking?.({})).toBe(true);
    const login = { user: 'root', password: 'p' };
    const { more, page } = made;
    if (more?.via !== 'http' || typeof more.auth === 'string' || !('open' in more.auth)) throw new Error('no session');
    expect(await more.auth.open(login)).toEqual({ via: 'http', method: 'POST', path: '/in', form: { password: 'p' } });
    expect(await more.auth.grant({ status: 200, body: '' })).toEqual({ cookie: 'a' });
    expect(await more.auth.grant({ status: 403, body: '' })).toBeUndefined();
    if (page?.via !== 'http' || typeof page.auth === 'string' || !('carry' in page.auth)) throw new Error('no login');
    expect(await page.auth.carry(login)).toEqual({ headers: { 'x-user': 'root' } });
    expect(await afterLogin?.mayBe({ family: undefined })).toBe(true);
    expect(await afterLogin?.mayBe({ family: 'other' })).toBe(false);
    expect(await afterLogin?.identify('me')).toEqual({ confidence: 'sure', model: 'T9' });
    expect(await afterLogin?.identify('you')).toBeUndefined();
  });
});

describe('a driver that', () => {
  const READS = (body: string) => driverText('bad', `read(replies) { ${body} },`);

  test.each([
    ['spins', 'for (;;) {}', /did not answer within 200 ms/],
    ['grows', 'const all = []; for (;;) all.push(new Array(1e5).fill(0.5));', /memory|did not answer/],
    ['ends its process', 'process.exit(3);', /ended its process \(code 3\)/],
    ['grows outside of the heap', 'globalThis.all = Buffer.alloc(400e6, 1); return {};', /grew by|did not answer/],
  ])('%s is ended and named, and the others go on', async (_, body, reason) => {
    const { driver, folder, lines } = await open(folderWith({ 'bad.mjs': READS(body), 'good.mjs': good }));
    const [bad, other] = [driver('bad'), driver('good')];
    const outcome = Promise.resolve(bad.read(RAW, {})).then(
      () => 'read',
      (error: Error) => error.message,
    );
    const beside = other.read(RAW, {});
    expect(await outcome).toMatch(/^(read|call driver bad, which failed)$/);
    expect(await beside).toEqual(READ);
    await expect.poll(() => folder.faults()).toMatchObject([{ id: 'bad', reason: expect.stringMatching(reason) }]);
    expect(bad.waitsFor?.()).toMatch(reason);
    expect(other.waitsFor?.()).toBeUndefined();
    expect(await other.read(RAW, {})).toEqual(READ);
    await expect(async () => bad.read(RAW, {})).rejects.toThrow(PeerError);
    expect(lines).toMatchObject([{ message: 'a driver is ended: its miners wait', fields: { driver: 'bad' } }]);
  });

  test('broke is tried again after a pause, which grows', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
    const { driver, folder } = await open(folderWith({ 'bad.mjs': READS('process.exit(3);') }), { clock });
    const bad = driver('bad');
    const pauses: number[] = [];
    for (let tries = 0; tries < 3; tries++) {
      await expect(async () => bad.read(RAW, {})).rejects.toThrow('call driver bad, which failed');
      const [fault] = folder.faults();
      pauses.push(Math.ceil((fault?.waitsMs ?? 0) / 1_000));
      aheadMs += fault?.waitsMs ?? 0;
    }
    expect(pauses).toEqual([5, 10, 20]);
  });

  test.each([
    ['throws', "throw new Error('no idea');", /breaks in read: bad\.mjs:\d+:\d+: no idea/],
    ['answers rubbish', 'return { hashrateHs: () => 1 };', /./],
    ['asks too much of a reading', 'return { get hashrateHs() { throw new Error() } };', /breaks in read/],
  ])('%s loses its own answer and nothing else, and that is told', async (_, body, reason) => {
    const { driver, folder } = await open(folderWith({ 'bad.mjs': READS(body), 'good.mjs': good }));
    const answer = await Promise.resolve(driver('bad').read(RAW, {})).catch((error: Error) => error);
    expect(answer).not.toEqual(READ);
    expect(await driver('good').read(RAW, {})).toEqual(READ);
    expect(folder.faults()).toMatchObject([{ id: 'bad', reason: expect.stringMatching(reason), waitsMs: undefined }]);
    expect(driver('bad').waitsFor?.()).toBeUndefined();
  });

  test('breaks where it recognises leaves that to the others', async () => {
    const more = "identify() { throw new Error('no idea'); },";
    const { driver, lines } = await open(folderWith({ 'bad.mjs': driverText('bad', more) }));
    for (let times = 0; times < 3; times++) expect(await driver('bad').identify({ family: 'bad' })).toBeUndefined();
    expect(lines).toMatchObject([
      {
        message: 'a driver broke',
        fields: {
          driver: 'bad',
          cause: expect.stringMatching(/^call identify of driver bad: bad\.mjs:\d+:\d+: no idea$/),
        },
      },
    ]);
  });

  test.each([
    ['writes a file', "process.getBuiltinModule('fs').writeFileSync(FOLDER + '/written', 'x');"],
    ['reads what is not in the folder', "process.getBuiltinModule('fs').readFileSync('/etc/hostname');"],
    ['starts a process', "process.getBuiltinModule('child_process').execFileSync('id');"],
    ['starts a thread', "new (process.getBuiltinModule('worker_threads').Worker)('1', { eval: true });"],
    ['has a timer', 'setTimeout(() => {}, 1);'],
    ['asks the network', "fetch('http://192.0.2.9/');"],
  ])('%s is refused that', async (_, body) => {
    const folder = folderWith({});
    const tried = `try { ${body.replace('FOLDER', JSON.stringify(folder))} } catch (error) { return { hostname: error.code ?? error.name }; } return { hostname: 'done' };`;
    put(folder, 'bad.mjs', READS(tried));
    const { driver } = await open(folder);
    const { reading } = await driver('bad').read(RAW, {});
    expect(reading.hostname).toMatch(/^(ERR_ACCESS_DENIED|ReferenceError)$/);
    expect(existsSync(join(folder, 'written'))).toBe(false);
  });

  test.each([
    ['mjs', "import net from 'node:net';", 'node:net'],
    ['cjs', "const http = require('http');", 'node:http'],
    ['ts', "import { readFileSync } from 'fs';", 'node:fs'],
  ])('imports in a .%s what sends or stores is refused', async (ending, line, name) => {
    const text = driverText('bad').replace('export default', ending === 'cjs' ? 'module.exports =' : 'export default');
    const { folder } = await open(folderWith({ [`bad.${ending}`]: `${line}\n${text}` }));
    expect(folder.refused()).toMatchObject([
      { id: 'bad', reason: expect.stringContaining(`${name} is not for drivers`) },
    ]);
  });

  test('imports what only computes is taken', async () => {
    const text = `import { gunzipSync } from 'node:zlib';\nimport { join } from 'path';\n${driverText('good')}`;
    const { folder } = await open(folderWith({ 'good.mjs': text }));
    expect(folder.refused()).toEqual([]);
  });

  test('is changed on disk is not loaded as it is now before a reload', async () => {
    const path = folderWith({ 'good.mjs': good, 'bad.mjs': READS('process.exit(3);') });
    const { driver, folder } = await open(path);
    put(path, 'good.mjs', driverText('good', "read() { return { hostname: 'new' }; },"));
    expect(await driver('good').read(RAW, {})).toEqual(READ);
    await expect(async () => driver('bad').read(RAW, {})).rejects.toThrow();
    await expect(async () => driver('good').read(RAW, {})).rejects.toThrow('driver good');
    expect(driver('good').waitsFor?.()).toBe('it has changed: pithead reload takes it over');
    const again = await folder.load();
    expect(await again.find(({ id }) => id === 'good')?.read(RAW, {})).toMatchObject({ reading: { hostname: 'new' } });
  });

  test('is deleted works until the next load, and is gone then', async () => {
    const path = folderWith({ 'good.mjs': good });
    const { driver, folder } = await open(path);
    rmSync(join(path, 'good.mjs'));
    expect(await driver('good').read(RAW, {})).toEqual(READ);
    expect(await folder.load()).toEqual([]);
    expect(driver('good').waitsFor?.()).toBe('it is no longer in use');
    await expect(async () => driver('good').read(RAW, {})).rejects.toThrow('it is no longer in use');
  });
});

describe('a command', () => {
  const acts = (body: string, name = 'reboot') =>
    driverText(
      'good',
      `abilities: { ${name}: { effect: 'once', offlineS: [0, 0], params: z.looseObject({ n: z.number().optional() }),
        async act(link, params, known, image) { ${body} }, shows: (reading) => reading.isLightOn } },`,
    );
  const allowed = { settings: { good: { allow: ['reboot', 'firmware'] } } } as const;
  const ability = async (body: string, name: 'reboot' | 'firmware' = 'reboot') => {
    const { driver } = await open(folderWith({ 'good.mjs': acts(body, name) }), allowed);
    const found = driver('good').abilities[name];
    if (found === undefined) throw new Error('not allowed');
    return found;
  };

  test('is there only if the configuration allows it', async () => {
    const { driver, folder } = await open(folderWith({ 'good.mjs': acts('return { kind: "accepted" };') }));
    expect(driver('good').abilities).toEqual({});
    expect(folder.entries()).toMatchObject([{ id: 'good', commands: ['reboot'], allowed: [] }]);
  });

  test('sends its requests from here, and gets their answers', async () => {
    const reboot = await ability(
      "const { n } = await link.send({ via: 'cgminer', command: 'restart' }, { deadlineMs: 900 }); return { kind: 'accepted', note: n + params.n + ' of ' + link.ip };",
    );
    const sent: MinerRequest[] = [];
    const to = link((request) => {
      sent.push(request);
      return { n: 2 };
    });
    expect(await reboot.act(to, { n: 40 }, {})).toEqual({ kind: 'accepted', note: '42 of 192.0.2.9' });
    expect(sent).toEqual([{ via: 'cgminer', command: 'restart' }]);
    expect(await reboot.shows?.({ isLightOn: true }, {})).toBe(true);
    await expect(reboot.act(to, { n: 'x' }, {})).rejects.toMatchObject({ code: 'peer.unsupported', wasSent: false });
  });

  test('that the device refuses fails with the error of the device', async () => {
    const error = new PeerError('peer.permission', 'restart: not allowed', 'later');
    const refusing = link(() => {
      throw error;
    });
    const reboot = await ability("await link.send({ via: 'cgminer', command: 'restart' });");
    await expect(reboot.act(refusing, {}, {})).rejects.toBe(error);
    const own = await ability(
      "try { await link.send({ via: 'cgminer', command: 'restart' }); } catch (error) { throw new PeerError('peer.rejected', 'no: ' + error.code, 'never'); }",
    );
    await expect(own.act(refusing, {}, {})).rejects.toMatchObject({
      code: 'peer.rejected',
      message: 'no: peer.permission',
    });
  });

  test('logs in with functions that run where the driver runs', async () => {
    const reboot = await ability(`
      const auth = { name: 'web', open: ({ user, password }) => ({ via: 'http', method: 'POST', path: '/login', json: { user, password } }), grant: ({ cookie }) => ({ cookie }), isRefused: (answer) => answer === 'out' };
      return { kind: 'accepted', note: await link.send({ via: 'http', method: 'POST', path: '/reboot', auth, as: 'text' }) };`);
    const to = link(async (request) => {
      if (request.via !== 'http' || typeof request.auth !== 'object' || !('open' in request.auth)) return 'no session';
      const { open: opened, grant, isRefused } = request.auth;
      const opening = await opened({ user: 'root', password: 'p' });
      const granted = await grant({ status: 200, body: '', cookie: 'a=1' });
      return JSON.stringify([opening, granted, await isRefused?.('out'), await isRefused?.('in')]);
    });
    const { note } = await reboot.act(to, {}, {}).then((result) => ({ note: '', ...result }));
    expect(JSON.parse(note)).toEqual([
      { via: 'http', method: 'POST', path: '/login', json: { user: 'root', password: 'p' } },
      { cookie: 'a=1' },
      true,
      false,
    ]);
  });

  test('sends a firmware image that it never sees', async () => {
    const firmware = await ability(
      `let seen = ''; try { seen = await image.bytes.text(); } catch (error) { seen = 'hidden'; }
       await link.send({ via: 'http', method: 'POST', path: '/up', auth: 'none', octets: image.bytes, as: 'text' });
       return { kind: 'accepted', note: \`\${image.name} \${image.bytes.size} \${seen}\` };`,
      'firmware',
    );
    const bytes = new Blob(['the image']);
    let octets: Blob | undefined;
    const to = link((request) => {
      if (request.via === 'http') octets = request.octets;
      return '';
    });
    const image = { name: 'a.bin', sha256: 'ab', bytes };
    expect(await firmware.act(to, {}, {}, image)).toEqual({ kind: 'accepted', note: 'a.bin 9 hidden' });
    expect(octets).toBe(bytes);
  });

  test('whose process ends has lost its reply once something was sent, and failed before', async () => {
    const reboot = await ability(
      "if (params.n === 1) process.exit(1); await link.send({ via: 'cgminer', command: 'restart' }); process.exit(1);",
    );
    expect(
      await reboot.act(
        link(() => ({})),
        {},
        {},
      ),
    ).toEqual({ kind: 'lost-reply' });
    await expect(
      reboot.act(
        link(() => ({})),
        { n: 1 },
        {},
      ),
    ).rejects.toThrow('driver good');
  });

  test.each([
    ['of no kind', "await link.send({ via: 'telnet', command: 'x' });", /a request of driver good: via/],
    [
      'with bytes of its own',
      "await link.send({ via: 'http', method: 'POST', path: '/', auth: 'none', octets: new Blob(['x']), as: 'text' });",
      /act of driver good/,
    ],
    ['and no result', 'return 7;', /act of reboot of driver good/],
  ])('with a request %s is a bug of the driver', async (_, body, words) => {
    const reboot = await ability(body);
    await expect(
      reboot.act(
        link(() => ({})),
        {},
        {},
      ),
    ).rejects.toThrow(words);
  });
});

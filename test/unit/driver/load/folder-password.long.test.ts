// New passwords by a driver of a folder: it may carry the login in any request, and its proof of a login runs over the
// link that the agent gives.
import { expect, test } from 'vitest';
import { PeerError } from '../../../../src/base/errors.ts';
import type { MinerLink, MinerRequest } from '../../../../src/transport/request.ts';
import { driverText, folderWith, open } from './driver-files.ts';

const allowed = { settings: { good: { allow: ['password'] } } } as const;
const link = (answer: (request: MinerRequest) => unknown): MinerLink => ({
  ip: '192.0.2.9',
  send: async (request) => answer(request),
});
const LOGIN = { user: 'root', password: 'now' };

async function passwordBy(act: string, proof: string) {
  const text = driverText(
    'good',
    `abilities: { password: password({ offlineS: [0, 0], pattern: plainPassword(8),
      async set(link, wanted) { ${act} },
      async provesLogin(link, known) { ${proof} } }) },`,
  ).replace('({ defineDriver,', '({ password, plainPassword, defineDriver,');
  const { driver } = await open(folderWith({ 'good.mjs': text }), allowed);
  const { password } = driver('good').abilities;
  if (password === undefined) throw new Error('not allowed');
  return password;
}

const REQUESTS = `
  const form = { via: 'http', method: 'POST', path: '/p', auth: 'digest', as: 'json', freshLogin: true,
    json: { wanted }, carry: ({ password }) => ({ json: { old: password } }) };
  await link.send(form);
  await link.send({ via: 'cgminer', command: 'p', carry: ({ password }) => password + ',' + wanted });
  await link.send({ via: 'whatsminer2-write', cmd: 'p', params: {}, carry: ({ password }) => ({ old: password }) });
  await link.send({ via: 'whatsminer3-write', cmd: 'p', carry: ({ user, password }) => ({ user, old: password }) });
  return { kind: 'accepted' };`;

test('goes out with the login, which the driver is asked to place', async () => {
  const password = await passwordBy(REQUESTS, '');
  const carried: unknown[] = [];
  const to = link(async (request: MinerRequest) => {
    if (request.via === 'whatsminer3') throw new Error('it holds no login');
    carried.push(await request.carry?.(LOGIN));
    if (request.via === 'http') expect(request).toMatchObject({ freshLogin: true, json: { wanted: 'next' } });
    return {};
  });
  expect(await password.act(to, { password: 'next' }, {})).toEqual({ kind: 'accepted' });
  expect(carried).toEqual([{ json: { old: 'now' } }, 'now,next', { old: 'now' }, { user: 'root', old: 'now' }]);
  await expect(password.act(to, { password: 'much too long' }, {})).rejects.toMatchObject({ code: 'peer.unsupported' });
});

test('is proven over the link, or fails as the link does', async () => {
  const password = await passwordBy(REQUESTS, "await link.send({ via: 'cgminer', command: known.model });");
  const sent: unknown[] = [];
  await password.provesLogin?.(
    link((request) => sent.push(request)),
    { model: 'T9' },
  );
  expect(sent).toEqual([{ via: 'cgminer', command: 'T9' }]);
  const error = new PeerError('peer.auth', 'ask', 'never');
  const refusing = link(() => {
    throw error;
  });
  await expect(password.provesLogin?.(refusing, { model: 'T9' })).rejects.toBe(error);
});

test('is not proven by a process that ends on the way', async () => {
  const password = await passwordBy(REQUESTS, "await link.send({ via: 'cgminer', command: 'c' }); process.exit(1);");
  const proof = password.provesLogin?.(
    link(() => ({})),
    {},
  );
  await expect(proof).rejects.toThrow('prove the login by driver good');
});

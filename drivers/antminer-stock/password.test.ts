// New passwords of stock Antminers: what counts as a yes, and that firmware from before 2020 is left alone.
import { describe, expect, test } from 'vitest';
import { acting } from '../../test/contract/acting.ts';
import { passwordsOf } from '../../test/contract/new-password.ts';
import { standing } from '../../test/contract/simulated.ts';
import { fakeLink, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { antminerStock as driver } from './index.ts';

const site = standing(driver, { miners: 4, mix: 'antminer-b=1,antminer-c=1' });
const password = acting(driver, site).ability('password');
const act = (answer: unknown, generation = 'c') => {
  const link = fakeLink(() => answer);
  return { link, result: password.act(link, { password: 'n3w-Pa55' }, { generation }) };
};

test.each(['b', 'c'])('is set on generation %s, and only what opens counts', async (generation) => {
  const device = site().farm.devices.find(({ family }) => family === `antminer-${generation}`);
  if (device === undefined) throw new Error('no such device in the farm');
  const { hold, holdUnclear } = passwordsOf(driver, site, { generation });
  await hold(device);
  await holdUnclear(device);
});

test('goes out with the one that counts until then', async () => {
  const { link, result } = act({ stats: 'success', code: 'P000', msg: 'OK!' });
  expect(await result).toEqual({ kind: 'accepted' });
  const [request] = link.sent;
  if (request?.via !== 'http') throw new Error('no request to the web');
  expect(request).toMatchObject({ path: '/cgi-bin/passwd.cgi', freshLogin: true });
  expect(request.json).toEqual({ newPwd: 'n3w-Pa55', confirmPwd: 'n3w-Pa55' });
  expect(await request.carry?.({ user: 'root', password: 'old' })).toEqual({ json: { curPwd: 'old' } });
});

describe('is no yes', () => {
  test.each([
    [{ stats: 'error', code: 'P001', msg: 'current password is wrong' }, 'peer.rejected'],
    [{ stats: 'error', msg: 'no' }, 'peer.rejected'],
    [{ code: 'P002' }, 'peer.rejected'],
    [{ stats: 'error', code: 'P000', msg: 'both' }, 'peer.rejected'],
    [{ code: 'P003', msg: 'permission denied' }, 'peer.permission'],
  ])('%j is a refusal', async (answer, code) => {
    expect(await refusalOf(act(answer).result)).toBe(code);
  });
  test.each([[{ stats: 'success', code: 'P001' }], [{}], ['ok']])('%j may be one', async (answer) => {
    expect(await act(answer).result).toEqual({ kind: 'lost-reply' });
  });
});

test('is not set on firmware whose form is not known, and nothing is sent', async () => {
  const { link, result } = act({}, 'a');
  expect(await refusalOf(result)).toBe('peer.unsupported');
  expect(link.sent).toEqual([]);
});

test('holds nothing that a script may make something else of', () => {
  const fits = (wanted: string) => password.params.safeParse({ password: wanted }).success;
  expect(['n3w-Pa55', 'a.b_c@D-9', 'x'.repeat(32)].filter(fits)).toHaveLength(3);
  expect(['', 'x'.repeat(33), 'a b', 'a$b', "a'b", 'a"b', 'a&b', 'a\\b', 'é', 'a\nb'].filter(fits)).toEqual([]);
});

// New passwords of Avalons of the A series: what goes out, and what counts as a yes.
import { expect, test } from 'vitest';
import { acting } from '../../test/contract/acting.ts';
import { passwordsOf } from '../../test/contract/new-password.ts';
import { standing } from '../../test/contract/simulated.ts';
import { fakeLink, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { avalon as driver } from './index.ts';

const site = standing(driver, { miners: 4, mix: 'avalon-a=1,avalon-home=1' });
const of = (family: string) => {
  const device = site().farm.devices.find((each) => each.family === family);
  if (device === undefined) throw new Error(`no ${family} in the farm`);
  return device;
};
const A = { generation: 'a' };

test('is set, and only what opens counts', async () => {
  const { hold, holdUnclear } = passwordsOf(driver, site, A);
  await hold(of('avalon-a'));
  await holdUnclear(of('avalon-a'));
});

test('goes out behind the present one, and is proven by itself', async () => {
  const link = fakeLink(() => ({ STATUS: [{ STATUS: 'I', Code: 118, Msg: 'new password success set.' }] }));
  const ability = acting(driver, site).ability('password');
  expect(await ability.act(link, { password: 'next' }, A)).toEqual({ kind: 'accepted' });
  await ability.provesLogin?.(link, A);
  const carried = link.sent.map((sent) =>
    sent.via === 'cgminer' ? sent.carry?.({ user: 'root', password: 'now' }) : undefined,
  );
  expect(carried).toEqual(['0,password,now,next', '0,password,now,now']);
  const [first] = link.sent;
  if (first?.via !== 'cgminer') throw new Error('no command');
  expect(() => first.carry?.({ user: 'root', password: 'a,b' })).toThrow('set the password of');
});

test.each([[{}], [{ STATUS: [{ STATUS: 'W', Code: 7 }] }]])('%j may be a yes', async (answer) => {
  const { act } = acting(driver, site).ability('password');
  expect(
    await act(
      fakeLink(() => answer),
      { password: 'next' },
      A,
    ),
  ).toEqual({ kind: 'lost-reply' });
});

test('is not set on home models, nor on what has a comma or more than 16 characters', async () => {
  const link = fakeLink(() => ({}));
  const { act, params } = acting(driver, site).ability('password');
  for (const generation of [{ generation: 'home' }, {}])
    expect(await refusalOf(act(link, { password: 'next' }, generation))).toBe('peer.unsupported');
  expect(link.sent).toEqual([]);
  const fits = (password: string) => params.safeParse({ password }).success;
  expect(['n3w-Pa55', 'x'.repeat(16)].filter(fits)).toHaveLength(2);
  expect(['', 'a,b', 'a|b', 'x'.repeat(17)].filter(fits)).toEqual([]);
});

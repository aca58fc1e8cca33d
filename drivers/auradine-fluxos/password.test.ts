// New passwords of Auradine machines.
import { expect, test } from 'vitest';
import { acting } from '../../test/contract/acting.ts';
import { passwordsOf } from '../../test/contract/new-password.ts';
import { standing } from '../../test/contract/simulated.ts';
import { auradineFluxos as driver } from './index.ts';

const site = standing(driver, { miners: 2, mix: 'auradine=1' });

test('is set, and only what opens counts', async () => {
  const { hold, holdUnclear } = passwordsOf(driver, site);
  await hold(site().device(0), 'peer.rejected');
  await holdUnclear(site().device(1));
});

test('has plain characters, 32 at most', () => {
  const { params } = acting(driver, site).ability('password');
  const fits = (password: string) => params.safeParse({ password }).success;
  expect(['n3w-Pa55', 'x'.repeat(32)].filter(fits)).toHaveLength(2);
  expect(['', 'a b', 'a$b', 'x'.repeat(33)].filter(fits)).toEqual([]);
});

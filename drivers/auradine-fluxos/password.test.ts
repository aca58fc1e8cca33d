// New passwords of Auradine machines.
import { test } from 'vitest';
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
  passwordsOf(driver, site).arePlain(32);
});

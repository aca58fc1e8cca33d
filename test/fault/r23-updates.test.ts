// Every way in which a new version can be broken, and a kill of the updater at every step: the short form of the bar.
import { test } from 'vitest';
import { measure } from './r23-updates.ts';
import { BROKEN } from './updated-site.ts';

test(
  'whatever an update does, a version works in the end',
  () => measure({ updates: ['works', ...BROKEN], kills: 1 }),
  300_000,
);

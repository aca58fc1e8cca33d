// 100 updates, half of them broken, and 20 kills of the updater at every step.
import { test } from 'vitest';
import { measure } from './r23-updates.ts';
import { BROKEN } from './updated-site.ts';

/** Every second one is broken, in each way in turn. */
const updates = Array.from(
  { length: 100 },
  (_, index) => (index % 2 === 0 ? BROKEN[(index / 2) % BROKEN.length] : undefined) ?? 'works',
);

test('whatever 100 updates do, a version works in the end', () => measure({ updates, kills: 20 }), 3_600_000);

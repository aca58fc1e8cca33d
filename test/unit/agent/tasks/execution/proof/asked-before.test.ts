// A driver that answers later: its answer to the newest look is there when the look is judged.
import { expect, test } from 'vitest';
import { askedBefore } from '../../../../../../src/agent/tasks/execution/proof/asked-before.ts';
import type { Reading } from '../../../../../../src/model/reading.ts';
import { executionOf, ruleOf } from './executions.ts';

const later = (shows: (reading: Reading) => boolean | undefined) => ({
  ...ruleOf({ effect: 'repeatable' }),
  shows: async (reading: Reading) => shows(reading),
});

test('each look has its own answer, and none is left of the one before', async () => {
  const asked = askedBefore({ ...executionOf({ ability: 'light' }), rule: later(({ isLightOn }) => isLightOn) });
  const shows = (reading: Reading) => asked.execution.rule?.shows?.(reading, {});
  await asked.ask({ isLightOn: true });
  expect(shows({ isLightOn: true })).toBe(true);
  await asked.ask({ isLightOn: false });
  expect(shows({ isLightOn: false })).toBe(false);
  await asked.ask('away');
  expect(shows({})).toBeUndefined();
});

test('of firmware it is asked about the version before as well', async () => {
  const rule = later(({ firmwareVersion }) => firmwareVersion === '2');
  const asked = askedBefore({ ...executionOf({ ability: 'firmware', baseline: { firmwareVersion: '1' } }), rule });
  await asked.ask({ firmwareVersion: '2' });
  expect(['1', '2'].map((firmwareVersion) => asked.execution.rule?.shows?.({ firmwareVersion }, {}))).toEqual([
    false,
    true,
  ]);
});

test('a driver that breaks cannot tell', async () => {
  const rule = later(() => {
    throw new Error('no idea');
  });
  const asked = askedBefore({ ...executionOf({ ability: 'light' }), rule });
  await asked.ask({ isLightOn: true });
  expect(asked.execution.rule?.shows?.({ isLightOn: true }, {})).toBeUndefined();
});

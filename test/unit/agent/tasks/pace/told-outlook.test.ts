// The outlook as a service is told it: everyone who is left out is named with a reason, and the answer stays bounded.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Outlook } from '../../../../../src/agent/tasks/pace/forecast.ts';
import { answerOutlook } from '../../../../../src/agent/tasks/pace/told-outlook.ts';
import { MAX_ASKED, outlookAnswerSchema } from '../../../../../src/wire/outlook.ts';
import { MAX_FRAME_BYTES } from '../../../../../src/wire/protocol.ts';

const ID = randomUUID();
const ask = (keys: readonly string[], more: Partial<Outlook> = {}) =>
  answerOutlook(
    { type: 'outlook', question_id: ID, name: 'miner.system.reboot', params: { force: true }, miner_keys: [...keys] },
    async (commands) => {
      expect(commands).toEqual(
        keys.map((minerKey) => ({ name: 'miner.system.reboot', minerKey, params: { force: true } })),
      );
      return { ...{ selected: [], leftOut: [], atOnce: 5, drawW: undefined, etaS: null, isEtaGuessed: true }, ...more };
    },
  );

test('what is not known is null, and a reason is said once', async () => {
  const keys = [randomUUID(), randomUUID(), randomUUID()];
  const [first = '', second = '', third = ''] = keys;
  const leftOut = [
    { minerKey: first, reason: 'it is retired' },
    { minerKey: second, reason: 'it is asleep' },
    { minerKey: third, reason: 'it is retired' },
  ];
  expect(await ask(keys, { leftOut })).toEqual({
    ...{ type: 'outlook', question_id: ID, at_once: 5, draw_w: null, eta_s: null, is_eta_guessed: true },
    left_out: [
      { reason: 'it is retired', miner_keys: [first, third] },
      { reason: 'it is asleep', miner_keys: [second] },
    ],
  });
});

test('ten thousand, each with a long reason of its own, fit one frame and are all named', async () => {
  const keys = Array.from({ length: MAX_ASKED }, () => randomUUID());
  const leftOut = keys.map((minerKey, n) => ({ minerKey, reason: `${n} ${'x'.repeat(10_000)}` }));
  const answer = outlookAnswerSchema.parse(await ask(keys, { leftOut, drawW: 3_250, etaS: 12.5 }));
  expect(answer.left_out.flatMap(({ miner_keys: named }) => named)).toEqual(keys);
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(MAX_FRAME_BYTES);
  expect([answer.draw_w, answer.eta_s]).toEqual([3_250, 12.5]);
});

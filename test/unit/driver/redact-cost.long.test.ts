// What hiding costs: it grows with the length of a text and with nothing that a device may write, in answers as in
// logs. Measured in the processor's time, and against passing over the same text, so that a slow or busy machine
// changes nothing.
import { expect, test } from 'vitest';
import { createPlaceholders } from '../../../src/agent/capture/recording/placeholders.ts';
import { logEvidence } from '../../../src/agent/tasks/execution/log-evidence.ts';
import { hideText } from '../../../src/driver/redact.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';
import { filled, HOSTILE } from '../../support/hostile-texts.ts';

const [SMALL, LARGE] = [64 * 1024, 1024 * 1024];
const LENGTHS = LARGE / SMALL;
/** Of the ratio: caches and the collector of garbage are not the same for both. */
const SLACK = 3;
/** Below this the clock of the processor is too coarse for a ratio. */
const LEAST_MS = 4;

const fastest = (work: () => void) => Math.min(...[1, 2].map(() => cpuMsOf(work)));

const WORK: Readonly<Record<string, (text: string) => void>> = {
  'an answer': (text) => hideText(text, () => 'x'),
  'a log': (text) => logEvidence(text, ['pit-head-pass', 'aaaaaaaa']),
  'a capture': (text) => {
    const placeholders = createPlaceholders({ publicWords: [], secrets: ['aaaaaaaa'] });
    placeholders.learn(text);
    placeholders.hide(text);
  },
};

test.each(Object.entries(WORK))(
  '%s of 1 MiB costs as many times one of 64 KiB as it is longer',
  (what, work) => {
    // A capture hides with what hides an answer: a part of the texts will do.
    for (const unit of HOSTILE.filter((_, index) => what !== 'a capture' || index % 4 === 3)) {
      const [small, large] = [SMALL, LARGE].map((length) => filled(unit, length));
      const smallMs = fastest(() => work(small ?? ''));
      const largeMs = fastest(() => work(large ?? ''));
      expect(largeMs / Math.max(smallMs, LEAST_MS), JSON.stringify(unit)).toBeLessThan(LENGTHS * SLACK);
    }
  },
  120_000,
);

test('a text without anything private costs about as much as one pattern that looks ahead at each character', () => {
  for (const unit of ['a', '1', 'a.', '1.', 'a b ', 'a+', '\\', '/', '-', 'bc1']) {
    const text = filled(unit, LARGE);
    const aheadMs = fastest(() => void text.replaceAll(/[^\n]{1,20}@/g, ''));
    const hideMs = fastest(() => void hideText(text, () => 'x'));
    expect(hideMs / Math.max(aheadMs, LEAST_MS), JSON.stringify(unit)).toBeLessThan(2);
  }
}, 120_000);

// What looks for private data in what a device says: a megabyte of the worst text does not block the loop.
import { test } from 'vitest';
import { logEvidence } from '../../src/agent/tasks/execution/log-evidence.ts';
import { hideText } from '../../src/driver/redact.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { filled, HOSTILE } from '../support/hostile-texts.ts';
import { isWithin, report } from './table.ts';

const MIB = 1024 * 1024;
const LIMIT_MS = 100;
const SECRETS = ['pit-head-pass', 'aaaaaaaa'];

const WORK: Readonly<Record<string, (text: string) => unknown>> = {
  'an answer': (text) => hideText(text, () => 'x'),
  'a log': (text) => logEvidence(text, SECRETS),
};

test('a megabyte of the worst text is looked through within the longest block of the loop', () => {
  let worst = { ms: 0, what: '' };
  let texts = 0;
  for (const [name, work] of Object.entries(WORK))
    for (const unit of HOSTILE) {
      const text = filled(unit, MIB);
      texts++;
      // Of the processor's time, the fastest of some: what else this machine does is not the text's.
      let ms = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 5 && (turn < 2 || ms > LIMIT_MS / 2); turn++)
        ms = Math.min(
          ms,
          cpuMsOf(() => void work(text)),
        );
      if (ms > worst.ms) worst = { ms, what: `${name} of ${JSON.stringify(unit.slice(0, 20))}` };
    }
  report({
    id: 'S1',
    value: `private data looked for in ${texts} texts of 1 MiB: longest ${worst.ms.toFixed(0)} ms of the processor (${worst.what})`,
    bar: `<= ${LIMIT_MS} ms for 1 MiB`,
    isMet: isWithin(worst.ms, LIMIT_MS),
  });
}, 120_000);

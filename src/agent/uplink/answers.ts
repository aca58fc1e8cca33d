// Answers the questions of a service, one after the other and with rests, so that a flood of them leaves the agent its
// time for miners. What comes too often stays without an answer: the service then says that it does not know.
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { OutlookAnswer, OutlookQuestion } from '../../wire/outlook.ts';

const MOST_WAITING = 8;
/** It rests for so many times what the answer took: questions have a fifth of the time at most. */
const REST_FACTOR = 4;

export function createAnswers(options: {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly log: Log;
  answer(question: OutlookQuestion): Promise<OutlookAnswer>;
  send(answer: OutlookAnswer): void;
}) {
  const { clock, log } = options;
  const over = new AbortController();
  const waiting: OutlookQuestion[] = [];
  let isBusy = false;

  const answerNext = async (question: OutlookQuestion) => {
    const beganMs = clock.monotonicMs();
    try {
      const answer = await options.answer(question);
      if (!over.signal.aborted) options.send(answer);
    } catch (error) {
      log.warn({ error: renderError(error) }, 'a question of the service could not be answered');
    }
    await clock.sleep(REST_FACTOR * (clock.monotonicMs() - beganMs), over.signal).catch(() => {});
  };
  const drain = async () => {
    isBusy = true;
    for (let next = waiting.shift(); next !== undefined && !over.signal.aborted; next = waiting.shift())
      await answerNext(next);
    isBusy = false;
  };

  return {
    take(question: OutlookQuestion): void {
      if (waiting.length >= MOST_WAITING || over.signal.aborted) return;
      waiting.push(question);
      if (!isBusy) void drain();
    },
    stop: () => over.abort(),
  };
}

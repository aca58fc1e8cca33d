// What an act shows while it runs: for people a line of each miner when it ends, and a bar with counts on a terminal;
// for programs one JSON object per step.
import type { Clock } from '../../../base/clock.ts';
import { isFinal } from '../../../model/task.ts';
import { type CliContext, type Progress, painter } from '../../output/terminal.ts';
import type { ActStep } from '../runners/runner.ts';
import { formatEta } from './outlook.ts';
import type { Tally } from './result.ts';

type Parts = {
  readonly clock: Clock;
  readonly tally: Tally;
  readonly bar: Progress;
  readonly total: number;
  /** What was foreseen; null = nothing. */
  readonly etaS: number | null;
  /** What is said of a miner where it succeeded. */
  readonly done: string;
};

export const jsonPrinter =
  ({ stdout }: Pick<CliContext, 'stdout'>) =>
  (step: ActStep): void => {
    const { ip, status, message, evidence } = step;
    stdout.write(`${JSON.stringify({ ip, status, message, evidence })}\n`);
  };

export function linePrinter({ stdout }: Pick<CliContext, 'stdout'>, parts: Parts): (step: ActStep) => void {
  const { clock, tally, bar, total, etaS, done } = parts;
  const paint = painter(stdout);
  const startMs = clock.monotonicMs();
  const redraw = () => {
    const elapsedS = (clock.monotonicMs() - startMs) / 1_000;
    bar.update(tally.counts().over, total, noteOf(tally, { total, etaS, elapsedS, done }));
  };
  redraw();
  return ({ ip, status, message }) => {
    if (isFinal(status)) {
      const hasSucceeded = status === 'succeeded';
      const word = paint(hasSucceeded ? 'green' : 'red', (hasSucceeded ? done : status).padEnd(9));
      bar.line(`${ip.padEnd(15)}  ${word}  ${message ?? ''}`.trimEnd());
    }
    redraw();
  };
}

/** `3 running, 40 proven, 2 failed, 4m left`. */
export function noteOf(
  tally: Tally,
  at: { readonly total: number; readonly etaS: number | null; readonly elapsedS: number; readonly done: string },
): string {
  const { running, proven, failed, over } = tally.counts();
  const leftS = secondsLeft({ ...at, over });
  return [
    `${running} running`,
    `${proven} ${at.done}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(leftS === undefined ? [] : [`${formatEta(leftS)} left`]),
  ].join(', ');
}

/** By what was foreseen until enough are over to go by; by the pace so far from then on. */
export function secondsLeft(at: {
  readonly over: number;
  readonly total: number;
  readonly etaS: number | null;
  readonly elapsedS: number;
}): number | undefined {
  const { over, total, etaS, elapsedS } = at;
  if (over >= total) return undefined;
  const byPace = over > 0 ? (elapsedS / over) * (total - over) : undefined;
  if (etaS === null) return byPace;
  const byForecast = Math.max(1, etaS - elapsedS);
  return byPace !== undefined && (over >= total / 2 || elapsedS > etaS) ? byPace : byForecast;
}

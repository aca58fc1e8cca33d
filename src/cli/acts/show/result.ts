// What came of an act: who ended how, counted, in words, and as the exit code. Pure.
import { isFinal } from '../../../model/task.ts';
import { EXIT } from '../../output/exit.ts';
import type { ActStep, LeftOut } from '../runners/runner.ts';
import { leftOutLines, reasonLines } from './outlook.ts';

/** The newest step of each miner that it was sent to. */
export class Tally {
  readonly #steps = new Map<string, ActStep>();

  take(step: ActStep): void {
    this.#steps.set(step.ip, step);
  }

  counts() {
    const steps = [...this.#steps.values()];
    const count = (is: (step: ActStep) => boolean) => steps.filter(is).length;
    return {
      running: count(({ status }) => status === 'running'),
      over: count(({ status }) => isFinal(status)),
      proven: count(({ status }) => status === 'succeeded'),
      failed: count(hasFailed),
      cancelled: count(({ status }) => status === 'cancelled'),
    };
  }

  failed(): LeftOut[] {
    return this.#unproven(hasFailed);
  }

  cancelled(): LeftOut[] {
    return this.#unproven(({ status }) => status === 'cancelled');
  }

  #unproven(is: (step: ActStep) => boolean): LeftOut[] {
    const some = [...this.#steps.values()].filter(is);
    return some.map(({ ip, status, message }) => ({ who: ip, reason: message ?? status }));
  }
}

const hasFailed = ({ status }: ActStep) => status === 'failed' || status === 'timeout';

export type Ended = {
  readonly tally: Tally;
  readonly leftOut: readonly LeftOut[];
  readonly batchIds: readonly string[];
  readonly isInterrupted: boolean;
};

/** `43 proven, 2 failed, 5 left out`, then why; `done` = what is said of those where it succeeded. */
export function resultLines({ tally, leftOut, batchIds }: Ended, done: string): string[] {
  const { proven, failed, cancelled } = tally.counts();
  const parts = [
    `${proven} ${done}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
    ...(leftOut.length > 0 ? [`${leftOut.length} left out`] : []),
  ];
  return [
    parts.join(', '),
    ...reasonLines('failed', tally.failed()),
    ...reasonLines('cancelled', tally.cancelled()),
    ...leftOutLines(leftOut),
    ...(failed > 0 ? batchIds.map((id) => `the failed ones again: pithead tasks retry ${id}`) : []),
  ];
}

/** The same for programs. */
export function resultJson({ tally, leftOut, batchIds, isInterrupted }: Ended) {
  const { proven, failed, cancelled } = tally.counts();
  const shown = leftOut.map(({ who, reason }) => ({ who, reason }));
  return { proven, failed, cancelled, left_out: shown, batch_ids: batchIds, interrupted: isInterrupted };
}

/** Those that are left out do not count. */
export function exitCodeOf({ tally, isInterrupted }: Pick<Ended, 'tally' | 'isInterrupted'>): number {
  if (isInterrupted) return EXIT.interrupted;
  const { failed, cancelled } = tally.counts();
  return failed + cancelled > 0 ? EXIT.failed : EXIT.ok;
}

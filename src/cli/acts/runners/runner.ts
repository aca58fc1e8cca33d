// What the machine for acts knows of a way to carry one out: who would get it, doing it, giving up what waits. It knows
// no socket and no route.
import type { TaskStatus } from '../../../model/task.ts';

/** A miner that an act is about, as people know it. */
export type ActMiner = {
  readonly ip: string;
  readonly mac: string | null;
  readonly model: string | null;
  readonly container: string | null;
  readonly rack: string | null;
  readonly position: number | null;
};

/** `who` = an address, or what was written. */
export type LeftOut = { readonly who: string; readonly reason: string };

export type ActPreview = {
  /** Those that it would be sent to, in their order. */
  readonly miners: readonly ActMiner[];
  readonly leftOut: readonly LeftOut[];
  /** How many at a time; null = not bounded, or not known here. */
  readonly atOnce: number | null;
  /** What all of them draw at full load; null = not known. */
  readonly kw: number | null;
  readonly etaS: number | null;
  /** What is not known on this way, and what is known instead, for people. */
  readonly notes?: readonly string[];
  /** Workers that some of them would get. */
  readonly workers: readonly { readonly ip: string; readonly user: string }[];
};

/** A guess of less misleads no person. */
const WORTH_A_WORD_S = 30;
const GUESSED = 'the time is what is usual: too few such acts have ended at this agent yet';

export const guessNotes = (etaS: number | null, isGuess: boolean): readonly string[] =>
  isGuess && (etaS ?? 0) >= WORTH_A_WORD_S ? [GUESSED] : [];

/** The last one of each miner has a final status. */
export type ActStep = {
  readonly ip: string;
  readonly status: TaskStatus;
  readonly message: string | null;
  readonly evidence: Readonly<Record<string, unknown>>;
};

export type ActRun = {
  /** By which `tasks` shows it and `tasks retry` takes it; none where no task is kept. */
  readonly batchIds: readonly string[];
  /** Beyond those of the preview. */
  readonly leftOut: readonly LeftOut[];
};

export type ActRunner = {
  preview(signal: AbortSignal): Promise<ActPreview>;
  /**
   * Sends it to those of the preview. Resolves when all are over; `isDetached`: when all are accepted. When `signal`
   * aborts what waits is given up, and what was sent is waited for.
   */
  run(
    onStep: (step: ActStep) => void,
    options: { readonly isDetached: boolean; readonly signal: AbortSignal },
  ): Promise<ActRun>;
  /** After the preview, or after the run. */
  close(): Promise<void>;
};

/** How an act is carried out if not all at once. */
export type ActLimits = {
  readonly canary: number | undefined;
  readonly stopAfter: number | undefined;
  readonly concurrency: number | undefined;
};

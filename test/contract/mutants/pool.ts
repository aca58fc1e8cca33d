// Processes that judge mutants, each one at a time and within a time: one that does not come back is ended, and another
// takes its place.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { type Job, type Verdict, verdictSchema } from './job.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
const NO_TIME: Verdict = { ms: 0, by: 'time', seen: 'it did not come to an end' };

class Judge {
  readonly #limitMs: number;
  #child: ChildProcess | undefined;
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  async judge(job: Job): Promise<Verdict> {
    const child = this.#child ?? (await this.#start());
    return new Promise((resolve) => {
      const end = (verdict: Verdict) => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(verdict);
      };
      const giveUp = () => {
        this.stop();
        end(NO_TIME);
      };
      const timer = setTimeout(giveUp, this.#limitMs);
      child.once('message', (message) => end(verdictSchema.parse(message)));
      child.once('exit', giveUp);
      child.send(job);
    });
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(WORKER, {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', (code) => reject(new Error(`a judge ended with ${code}`)));
    });
    child.removeAllListeners();
    this.#child = child;
    return child;
  }
}

/** One verdict per job, in order. `networks`: one per process. */
export async function judgeAll(
  jobs: readonly Omit<Job, 'network'>[],
  networks: readonly string[],
  limitMs: number,
): Promise<readonly Verdict[]> {
  const verdicts = new Map<number, Verdict>();
  let next = 0;
  await Promise.all(
    networks.map(async (network) => {
      const judge = new Judge(limitMs);
      try {
        for (let nth = next++; nth < jobs.length; nth = next++) {
          const job = jobs[nth];
          if (job !== undefined) verdicts.set(nth, await judge.judge({ ...job, network }));
        }
      } finally {
        judge.stop();
      }
    }),
  );
  return jobs.map((_, nth) => verdicts.get(nth) ?? NO_TIME);
}

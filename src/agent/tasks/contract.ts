// What the task gate needs of the rest of the agent, and what a task looks like from outside.
import type { AbilityName, ActResult, Driver, FirmwareImage } from '../../driver/contract.ts';
import type { Reading } from '../../model/reading.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { TaskOrder } from '../../wire/frames.ts';
import type { EventRecord, TaskRecord } from '../../wire/records.ts';
import type { Rollout } from './rollout-rule.ts';

export type TaskTarget = {
  readonly ip: string;
  readonly driverId: string;
  readonly abilities: Driver['abilities'];
};

/** Who stands at a miner's address, as far as something shows it. */
export type Standing = 'itself' | 'another' | 'unknown';

/** `rebooting` until the task is over: flags are suppressed, a missing answer is no fault. */
export type MinerPhase = 'rebooting' | 'idle';

export type TaskDeps = {
  /** Undefined when the miner is not known. */
  find(minerKey: string): TaskTarget | undefined;
  /** Whether the address is inside the networks configured here. */
  mayReach(ip: string): boolean;
  /** Does it in the miner's turn, before anything else that waits. Throws PeerError with the refusal; `wasSent` false = it cannot have happened. */
  act(
    minerKey: string,
    ability: AbilityName,
    params: unknown,
    signal: AbortSignal,
    image?: FirmwareImage,
  ): Promise<ActResult>;
  /**
   * One look in the miner's turn; `isFresh` = nothing that it said earlier is taken for an answer. Throws PeerError while it is away, RefusedError
   * when another unit stands at its address.
   */
  observe(minerKey: string, signal: AbortSignal, isFresh?: boolean): Promise<Reading>;
  /** From what a look just gave, if it gave anything, and from what is known besides; nothing is sent. */
  whoStands(minerKey: string, shown?: Reading): Standing;
  /**
   * The image that a firmware task names, checked. Throws RefusedError that says what to do when there is none. Absent = no firmware from here.
   */
  image?(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<FirmwareImage>;
  /** Whether a device may be told to fetch this address. Absent = none. */
  mayFetch?(url: string): boolean;
  /** Passwords that must not be seen in what the miner writes. */
  secretsOf?(minerKey: string): readonly string[];
  onPhase(minerKey: string, phase: MinerPhase): void;
  /** Tasks of the agent's own, by name. */
  readonly own?: Readonly<Partial<Record<string, OwnTask>>>;
  /**
   * A task that was started is over. Called within the transaction that writes this: what is written to the same database meanwhile is kept or lost
   * with it, and a throw undoes both, to be tried again.
   */
  onEnd?(task: OwnOrder & { readonly name: string }, outcome: TaskOutcome): void;
  /** Resolves when the record is on disk. */
  report(record: TaskRecord | EventRecord): Promise<void>;
};

/** `minerKey` is the agent's own id where the task is about the agent. */
export type OwnOrder = {
  readonly taskId: string;
  readonly minerKey: string;
  readonly params: Readonly<Record<string, unknown>>;
};

/** What a task of the agent's own may use of the gate. `onProgress` tells the service, so not too often. */
export type OwnReach = Pick<TaskDeps, 'find' | 'mayReach' | 'observe'> & {
  onProgress(evidence: Readonly<Record<string, unknown>>): void;
};

/** Carried out by the agent itself. It must be such that it may run again after a crash. */
export type OwnTask = {
  /** How many run at once; those about one miner, or about the agent, run one after the other. */
  readonly concurrency: number;
  /** Ends soon, with an outcome, when the signal aborts: it was cancelled, or the agent stops. */
  run(order: OwnOrder, signal: AbortSignal, reach: OwnReach): Promise<TaskOutcome>;
};

/**
 * accepted = waits; started = about to be sent, on disk before it is; sent = the miner took it; verifying = being proven, also when the reply
 * was lost; final = over.
 */
export const TASK_STATES = ['accepted', 'started', 'sent', 'verifying', 'final'] as const;
export type TaskState = (typeof TASK_STATES)[number];

export type TaskOutcome = {
  readonly status: Exclude<TaskStatus, 'pending' | 'running'>;
  readonly message: string | null;
  readonly evidence: Readonly<Record<string, unknown>>;
};

/** `tookEffect` = the miner may have done it. */
export type TaskEnd = { readonly outcome: TaskOutcome; readonly tookEffect: boolean };

export function failed(message: string, evidence: TaskOutcome['evidence'] = {}): TaskOutcome {
  return { status: 'failed', message, evidence };
}

/** One task as people see it; times in ms since the epoch. */
export type TaskView = {
  readonly taskId: string;
  readonly batchId: string | null;
  readonly name: string;
  readonly minerKey: string;
  readonly source: 'service' | 'local';
  readonly state: TaskState;
  readonly status: TaskStatus;
  readonly message: string | null;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly acceptedMs: number;
  readonly startedMs: number | null;
  readonly finishedMs: number | null;
};

export type LocalTask = {
  readonly name: string;
  readonly minerKey: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Not started within this: `timeout`. Default 15 min, with a rollout 4 h. */
  readonly expiresInS?: number;
  readonly onState?: (state: TaskState) => void;
};

/** What belongs together, so that one rule holds for all of it. */
export type LocalBatch = {
  /** For what comes bit by bit; the first rule of a batch is the one that counts. Absent: a batch of its own. */
  readonly batchId?: string;
  readonly rollout?: Rollout;
};

export type LocalRun = { readonly taskId: string; readonly outcome: Promise<TaskOutcome> };

export type TaskGate = {
  /** Journals the orders before it returns, each task id once and for ever; known ones report their state again. Throws when it cannot journal. `uplink` = over which they came. */
  accept(order: TaskOrder, uplink?: string): void;
  acceptAll(orders: readonly TaskOrder[], uplink?: string): void;
  /**
   * Gives a task up that has not been started, and ends one of the agent's own; others go on to be proven, and it is false. Over an uplink only what
   * came over it.
   */
  cancel(taskId: string, uplink?: string): boolean;
  /** The same for many in one transaction; says how many. While the journal refuses they are over all the same, and it is tried again. */
  cancelAll(taskIds: readonly string[]): number;
  /** Gives up everything that has not been started, and what is the agent's own; says how many. */
  abortAll(reason: string): number;
  /** A technician's task through the same gate. The outcome rejects with CancelledError when the gate stops first. */
  runLocal(task: LocalTask): LocalRun;
  /** The same for many, in the order in which they are to go. */
  runLocalBatch(
    tasks: readonly LocalTask[],
    batch?: LocalBatch,
  ): { readonly batchId: string; readonly runs: readonly LocalRun[] };
  start(): void;
  stop(): Promise<void>;
  /** A task about this miner waits or runs. */
  isBusy(minerKey: string): boolean;
  /** How often the miner may have been acted on by tasks of this name since then, ms since the epoch. */
  effectsSince(minerKey: string, name: string, sinceMs: number): number;
  /** What waits or runs. */
  open(): TaskView[];
  /** Newest first. */
  list(limit?: number): TaskView[];
};

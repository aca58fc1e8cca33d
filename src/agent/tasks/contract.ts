// What the task queue needs of the rest of the agent, and the shapes that its parts share: targets, states, outcomes.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { AbilityName, ActResult, FirmwareImage } from '../../driver/contract.ts';
import type { LoadedAbilities } from '../../driver/load/loaded-driver.ts';
import type { PoolFacts } from '../../model/pools/resolve-pools.ts';
import type { Reading } from '../../model/reading.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { EventRecord, TaskRecord } from '../../wire/records.ts';
import type { PasswordShown } from '../device/passwords/password-changes.ts';
import type { Likeness } from '../fleet/identity/claims.ts';
import type { UnitFacts } from '../fleet/identity/record.ts';
import type { FarmDraw } from './pace/draw.ts';
import type { TaskSettings } from './settings.ts';
import type { StoredTask, TaskState } from './stored-task.ts';

export type TaskTarget = {
  readonly ip: string;
  readonly driverId: string;
  readonly abilities: LoadedAbilities;
  /** As `withheld` of a LoadedDriver. */
  readonly withheld?: readonly AbilityName[];
};

/** Which unit answers at a miner's address, as far as something shows it. */
export type TargetIdentity = 'itself' | 'another' | 'unknown';

/** What all parts of the task queue share. */
export type TaskParts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: TaskSettings;
  readonly deps: TaskDeps;
};

export type TaskDeps = {
  /** Undefined when the miner is not known. */
  find(minerKey: string): TaskTarget | undefined;
  /** What tells the unit that this miner is now from others, for later. Absent = no miner ever changes its address. */
  unitOf?(minerKey: string): UnitFacts | undefined;
  /** Whether what answered at `ip` with this is the unit that had those facts. */
  compare?(unit: UnitFacts, ip: string, shown: Reading): Likeness;
  /** Whether the address is inside the networks configured here. */
  mayReach(ip: string): boolean;
  /** Why this miner must not be changed, in words: it is not sure which unit it is. Absent = never so. */
  doubtOf?(minerKey: string): string | undefined;
  /**
   * Does it in the miner's turn, before anything else that waits. Throws PeerError with the refusal; `wasSent` false =
   * it cannot have happened.
   */
  act(
    minerKey: string,
    ability: AbilityName,
    params: unknown,
    signal: AbortSignal,
    image?: FirmwareImage,
  ): Promise<ActResult>;
  /**
   * One look in the miner's turn; `isFresh` = nothing that it said earlier is taken for an answer. Throws PeerError
   * while it is away, RefusedError when another unit stands at its address.
   */
  observe(minerKey: string, signal: AbortSignal, isFresh?: boolean): Promise<Reading>;
  /** From what a look just gave, if it gave anything, and from what is known besides; nothing is sent. */
  identifyTarget(minerKey: string, shown?: Reading): TargetIdentity;
  /**
   * The image that a firmware task names, checked. Throws RefusedError that says what to do when there is none. Absent
   * = no firmware from here.
   */
  image?(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<FirmwareImage>;
  /**
   * Why the image of a firmware task is not for this miner, by its name and what the task says, and by what is in it;
   * undefined = nothing says so.
   */
  imageFit?: {
    byName(minerKey: string, name: string, family: string | undefined): string | undefined;
    byContent(minerKey: string, image: FirmwareImage): Promise<string | undefined>;
  };
  /** Whether a device may be told to fetch this address. Absent = none. */
  mayFetch?(url: string): boolean;
  /** What is known of a miner whose pools are to be set, without asking it. Absent = nothing but its address. */
  poolFacts?(minerKey: string): PoolFacts | undefined;
  /** For changes of passwords. Absent = this agent makes none. */
  readonly passwords?: {
    /** Why nothing may be sent, in words; undefined = it may. */
    whyNot(minerKey: string): string | undefined;
    /** What logins have shown of the password that was to be set; the device may be asked for that. */
    shown(minerKey: string, wanted: string, signal: AbortSignal): Promise<PasswordShown>;
    /** The new one may be tried once more although it was refused. */
    tryAgain(minerKey: string): void;
  };
  /** Passwords that must not be seen in what the miner writes. */
  secretsOf?(minerKey: string): readonly string[];
  /** `rebooting` until the task is over: flags are suppressed, a missing answer is no fault. */
  onPhase(minerKey: string, phase: 'rebooting' | 'idle'): void;
  /** What operators said of a miner that is to get no tasks, in one word. Absent = nothing is known of that. */
  retiredAs?(minerKey: string): string | undefined;
  /** What miners draw at full load. Absent = nothing is known of that, and the farm is small. */
  readonly draw?: FarmDraw;
  /** Tasks of the agent's own, by name. */
  readonly agentTasks?: Readonly<Partial<Record<string, AgentTask>>>;
  /**
   * A task that was started is over. Called within the transaction that writes this: what is written to the same
   * database meanwhile is kept or lost with it, and a throw undoes both, to be tried again.
   */
  onEnd?(task: StoredTask, outcome: TaskOutcome): void;
  /** Resolves when the record is on disk. */
  report(record: TaskRecord | EventRecord): Promise<void>;
};

/** Carried out by the agent itself. It must be such that it may run again after a crash. */
export type AgentTask = {
  /** How many run at once; those about one miner, or about the agent, run one after the other. */
  readonly concurrency: number;
  /** Ends soon, with an outcome, when the signal aborts: it was cancelled, or the agent stops. */
  run(
    task: Pick<StoredTask, 'taskId' | 'minerKey' | 'params'>,
    signal: AbortSignal,
    reach: Pick<TaskDeps, 'find' | 'mayReach' | 'observe'> & {
      /** Tells the service, so not too often. */
      onProgress(evidence: TaskOutcome['evidence']): void;
    },
  ): Promise<TaskOutcome>;
};

/** How far a task is, in words for who waits for it. */
export const TASK_LABELS = {
  accepted: 'waits for its turn',
  started: 'is being told',
  sent: 'took the command',
  verifying: 'is watched until it is proven',
} as const satisfies Partial<Record<TaskState, string>>;

/** How a task ended: what the stored task holds of it from then on. */
export type TaskOutcome = Readonly<Pick<StoredTask, 'message' | 'evidence'>> & {
  readonly status: Exclude<TaskStatus, 'pending' | 'running'>;
  /** The miner may have done it although the task did not succeed: it counts for caps. */
  readonly mayHaveHappened?: true;
};

const outcome =
  <M extends string | null>(status: TaskOutcome['status']) =>
  (message: M, evidence: TaskOutcome['evidence'] = {}): TaskOutcome => ({ status, message, evidence });
export const failed = outcome<string>('failed');
export const cancelled = outcome<string>('cancelled');
export const succeeded = outcome<string | null>('succeeded');

/** The same, for a task that the miner may have done all the same. */
export const afterAct = (outcome: TaskOutcome): TaskOutcome => ({ ...outcome, mayHaveHappened: true });

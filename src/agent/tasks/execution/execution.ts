// One task while it is carried out: what is known of it, and how the one that carries it out hears of and reports what
// happens. Shapes only.
import type { AbilityName } from '../../../driver/contract.ts';
import type { LoadedAbility } from '../../../driver/load/loaded-driver.ts';
import type { TaskParts } from '../contract.ts';
import type { PowerBudget } from '../pace/power-budget.ts';
import type { Journal } from '../queue/journal.ts';
import type { StoredTask } from '../stored-task.ts';

export type ExecutionParts = TaskParts & { readonly journal: Journal; readonly power: PowerBudget };

/** A task whose command was sent, or may have been: all that its proof starts from. */
export type Execution = {
  /** With what the miner told, and what told it from others, before the command. */
  readonly task: StoredTask;
  readonly ability: AbilityName;
  /** Of the driver. Undefined after a restart of the agent that does not know the miner any more. */
  readonly rule: LoadedAbility | undefined;
  /** As the driver takes them. */
  readonly params: unknown;
  /** When the command was sent, by `Clock.elapsedMs`. */
  readonly actedMs: number;
  /**
   * The task was begun before a restart of the agent, which did not look meanwhile and does not know whether the
   * command was sent.
   */
  readonly isRecovered: boolean;
  readonly isReplyLost: boolean;
  /** What the device itself said. */
  readonly note?: string | undefined;
};

/** What becomes of the capacity that the miner of a reboot holds. Each is called any number of times. */
export type RebootCapacity = {
  /** The restart is proven: another miner may have the capacity. */
  onBack(): void;
  /** Nothing is proven, but a reboot would be over by now. `isAway` = it does not answer. */
  onUnproven(isAway: boolean): void;
};

/** Between the queue and what carries a task out. */
export type Controls = {
  /** Its life is over, whatever the wall clock says. */
  isExpired(): boolean;
  /** Aborts when the task is given up; heeded until it is started. */
  readonly giveUp: AbortSignal;
  /** Aborts when the agent stops: the journal says where to go on. */
  readonly stop: AbortSignal;
  onState(state: 'started' | 'sent' | 'verifying'): void;
  /** What it does to its miner differs from what was asked of all. */
  onParams(params: StoredTask['params']): void;
  readonly capacity: RebootCapacity;
  /** The power budget has let it pass, after so long. */
  onPassed(waitedMs: number): void;
};

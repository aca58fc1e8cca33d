// One task from its start to its outcome: checked, read before, journaled, sent once, proven. It holds no queue.
import { CancelledError, PeerError, RefusedError, renderError } from '../../../base/errors.ts';
import type { AbilityName, ActResult, FirmwareImage } from '../../../driver/contract.ts';
import type { LoadedAbility } from '../../../driver/load/loaded-driver.ts';
import { driverAbilityOf } from '../../../model/task.ts';
import { afterAct, failed, succeeded, type TaskDeps, type TaskOutcome } from '../contract.ts';
import type { Baseline, StoredTask } from '../stored-task.ts';
import type { Controls, Execution, ExecutionParts } from './execution.ts';
import { fillParams } from './fill-params.ts';
import { logEvidence } from './log-evidence.ts';
import { refuseUnidentified } from './observations.ts';
import { goesOffline, type Plan, planTask, startingPower } from './plan.ts';
import { movedBefore, observeWithin } from './proof/look.ts';
import { verify } from './proof/verify.ts';
import { sendCommand } from './send-command.ts';

/** After a longer wait for the power budget the miner is looked at again. */
const FRESH_MS = 5_000;

/** A restart is proven by what the miner told before it. */
const needsBaseline = (ability: AbilityName): boolean => ability === 'reboot' || ability === 'firmware';
const canBeShown = (ability: AbilityName, rule: LoadedAbility | undefined): boolean =>
  needsBaseline(ability) || ability === 'password' || rule?.shows !== undefined;

/** Carries the task out. Rejects with CancelledError when it is given up before it is started, or the agent stops. */
export async function execute(parts: ExecutionParts, task: StoredTask, controls: Controls): Promise<TaskOutcome> {
  const { clock, deps, journal } = parts;
  const ready = await prepare(parts, task, controls);
  if ('status' in ready) return ready;
  const { plan, given, image, baseline, startingW } = ready;
  const { ability, rule, params } = plan;
  const startMs = clock.elapsedMs();
  const isFilled = given !== task.params;
  const begun = { ...task, params: given, baseline, unit: deps.unitOf?.(task.minerKey) };
  if (isFilled) controls.onParams(given);
  journal.started(task.taskId, { ...begun, params: isFilled ? given : undefined }, startingW, startMs);
  controls.onState('started');
  if (goesOffline(rule, ability)) deps.onPhase(task.minerKey, 'rebooting');
  const hasAnswered = baseline !== undefined || !needsBaseline(ability);
  const reply = await sendCommand(parts, { ...plan, image }, task, hasAnswered, controls.stop);
  if ('status' in reply) return reply;

  const isReplyLost = reply.kind === 'lost-reply';
  const note = reply.kind === 'accepted' ? reply.note : undefined;
  if (!isReplyLost && ability === 'log') return settleLog(parts, task, reply);
  if (!canBeShown(ability, rule))
    return isReplyLost ? afterAct(replyLost(plan)) : succeeded(note ?? null, { proof: 'answer only' });
  if (!isReplyLost) {
    journal.moved(task.taskId, 'sent', clock.elapsedMs());
    controls.onState('sent');
  }
  journal.moved(task.taskId, 'verifying', clock.elapsedMs());
  controls.onState('verifying');
  // A file takes minutes to send: the time for showing it begins when the miner has it.
  const actedMs = ability === 'firmware' ? clock.elapsedMs() : startMs;
  const execution = { task: begun, ability, rule, params, actedMs, isRecovered: false, isReplyLost, note };
  return verify(parts, execution, controls);
}

/** Goes on where an earlier run of the agent ended. Undefined = it may simply run again. */
export async function resume(
  parts: ExecutionParts,
  task: StoredTask,
  controls: Controls,
): Promise<TaskOutcome | undefined> {
  const ability = driverAbilityOf(task.name);
  const rule = ability === undefined ? undefined : parts.deps.find(task.minerKey)?.abilities[ability];
  if (rule?.effect === 'read-only' || rule?.effect === 'repeatable') return undefined;
  if (ability === undefined || !canBeShown(ability, rule) || (rule === undefined && ability !== 'reboot')) {
    const message = 'interrupted by a restart of the agent: it may have been done, and is not done again';
    return afterAct(failed(message, { interrupted: true }));
  }
  if (goesOffline(rule, ability)) parts.deps.onPhase(task.minerKey, 'rebooting');
  parts.journal.moved(task.taskId, 'verifying', parts.clock.elapsedMs());
  controls.onState('verifying');
  const actedMs = task.sentMs ?? task.startedMs ?? task.acceptedMs;
  const { params } = task;
  const execution: Execution = { task, ability, rule, params, actedMs, isRecovered: true, isReplyLost: false };
  return verify(parts, execution, controls);
}

type Ready = {
  readonly plan: Plan;
  /** The params of the task, filled in for its miner. */
  readonly given: StoredTask['params'];
  readonly image: FirmwareImage | undefined;
  readonly baseline: Baseline | undefined;
  /** What it counts for in the power budget, which has let it pass; 0 = it is none of its matter. */
  readonly startingW: number;
};

/** All that is to be done and asked before the command may be sent; an outcome = it must not be sent. */
async function prepare(parts: ExecutionParts, task: StoredTask, controls: Controls): Promise<Ready | TaskOutcome> {
  const { clock, deps } = parts;
  const { minerKey } = task;
  const early = AbortSignal.any([controls.giveUp, controls.stop]);
  const filled = await fillParams(parts, task, controls, early);
  if ('status' in filled) return filled;
  const { given } = filled;
  const first = planTask(parts, task, controls, given);
  if ('status' in first) return first;
  const { ability } = first;
  const isSent = ability === 'firmware' && first.rule.fetchesItself === undefined;
  const image = isSent ? await findImage(deps, task, early) : undefined;
  if (image !== undefined && 'status' in image) return image;
  // A change goes to the miner that was meant, not to the unit that has its address by now.
  let lookedAt = first.ip;
  const look = () => {
    lookedAt = deps.find(minerKey)?.ip ?? lookedAt;
    return first.rule.effect === 'read-only' ? undefined : readBaseline(parts, task, ability, early);
  };
  let seen = await look();
  if (seen !== undefined && 'status' in seen) return seen;
  const startingW = startingPower(parts, first, task);
  const askedMs = clock.monotonicMs();
  if (startingW > 0) await parts.power.pass(startingW, early);
  const waitedMs = clock.monotonicMs() - askedMs;
  controls.onPassed(waitedMs);
  if (waitedMs > FRESH_MS) seen = (await look()) ?? seen;
  if (seen !== undefined && 'status' in seen) return seen;
  // Waiting takes time: what was true before it may not be now.
  const plan = planTask(parts, task, controls, given);
  if ('status' in plan) return plan;
  if (early.aborted) throw new CancelledError(`begin ${task.name}`);
  const baseline = needsBaseline(ability) ? seen : undefined;
  return movedBefore(deps, minerKey, lookedAt) ?? { plan, given, image, baseline, startingW };
}

/** The file that the task names, or why nothing is sent. */
async function findImage(deps: TaskDeps, task: StoredTask, signal: AbortSignal): Promise<FirmwareImage | TaskOutcome> {
  if (deps.image === undefined) return failed('refused: this agent has no firmware folder');
  try {
    const image = await deps.image(task.params, signal);
    const { family } = task.params;
    const misfit =
      deps.imageFit?.byName(task.minerKey, image.name, typeof family === 'string' ? family : undefined) ??
      (await deps.imageFit?.byContent(task.minerKey, image));
    return misfit === undefined ? image : failed(`refused: ${misfit}`);
  } catch (error) {
    if (error instanceof RefusedError || error instanceof PeerError) return failed(`refused: ${error.message}`);
    throw error;
  }
}

/**
 * What the miner answers just before the command; undefined when it does not answer. An outcome = another unit is
 * there, so nothing is sent.
 */
async function readBaseline(
  parts: ExecutionParts,
  { minerKey, name }: StoredTask,
  ability: AbilityName,
  signal: AbortSignal,
): Promise<Baseline | TaskOutcome | undefined> {
  const { clock, deps, log } = parts;
  try {
    const reading = await observeWithin(parts, minerKey, signal, true);
    const refusal = refuseUnidentified(deps.identifyTarget(minerKey, reading), ability, name);
    if (refusal !== undefined) return refusal;
    const { uptimeS, systemUptimeS, hashrateHs, firmwareVersion } = reading;
    return { atMs: clock.elapsedMs(), uptimeS, systemUptimeS, hashrateHs, firmwareVersion };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof RefusedError) return failed(`refused: ${error.message}`);
    // A miner whose reading side hangs may still take the command.
    log.debug({ minerKey, error: renderError(error) }, 'no reading before a command');
    return refuseUnidentified(deps.identifyTarget(minerKey), ability, name);
  }
}

/** Nothing could show whether it was done. */
function replyLost({ ability, rule }: Plan): TaskOutcome {
  const hint = rule.effect === 'once' ? '; it is not sent again' : '';
  return failed(`the reply to ${ability} was lost: it may have been done${hint}`, { replyLost: true });
}

function settleLog({ deps }: ExecutionParts, { minerKey }: StoredTask, reply: ActResult): TaskOutcome {
  const { note = null, log } = reply.kind === 'accepted' ? reply : {};
  if (log === undefined) return failed('the miner gave no log');
  return succeeded(note, logEvidence(log, deps.secretsOf?.(minerKey)));
}

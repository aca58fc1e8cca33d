// One task from its start to its outcome: checked, read before, journaled, sent once, proven. It holds no queue.
import { CancelledError, PeerError, RefusedError, renderError } from '../../../base/errors.ts';
import { formatDurationMs } from '../../../base/time/duration.ts';
import type { Ability, AbilityName, ActResult, FirmwareImage } from '../../../driver/contract.ts';
import type { Reading } from '../../../model/reading.ts';
import { driverAbilityOf } from '../../../model/task.ts';
import { afterAct, failed, succeeded, type TaskDeps, type TaskOutcome, type TaskParts } from '../contract.ts';
import { expired } from '../queue/admission.ts';
import type { Baseline, Journal, JournalRow } from '../queue/journal.ts';
import { notAllowed } from '../settings.ts';
import { logEvidence } from './log-evidence.ts';
import { changedOutcome, movedBefore, observeWithin, type VerifyStart } from './look.ts';
import { refuseUnidentified } from './observations.ts';
import type { PowerBudget } from './power-budget.ts';
import { type Command, sendCommand } from './send-command.ts';

import { showsVersion, verifyEffect } from './verify-effect.ts';
import { type RebootCapacity, verifyReboot } from './verify-reboot.ts';

export type ExecutionParts = TaskParts & { readonly journal: Journal; readonly power: PowerBudget };

export type Execution = {
  readonly row: JournalRow;
  /** Its life is over, whatever the wall clock says. */
  isExpired(): boolean;
  /** Aborts when the task is given up; heeded until it is started. */
  readonly giveUp: AbortSignal;
  /** Aborts when the agent stops: the journal says where to go on. */
  readonly stop: AbortSignal;
  onState(state: 'started' | 'sent' | 'verifying'): void;
  /** Of a reboot, before its end. */
  readonly capacity: RebootCapacity;
};

/** Ordinary control boards are back within this. */
const DEFAULT_BACK_S = 600;
const BACK_MARGIN_S = 300;
const DEFAULT_OFFLINE_S = 180;
const DAY_MS = 24 * 3_600_000;
/** After a longer wait for the power budget the miner is looked at again. */
const FRESH_MS = 5_000;

const RESTARTS_NOTHING: readonly AbilityName[] = ['light', 'log'];

/** Whether a task of this name makes some devices restart, or their mining at least. */
export function mayRestart(name: string): boolean {
  const ability = driverAbilityOf(name);
  return ability !== undefined && !RESTARTS_NOTHING.includes(ability);
}

type Plan = Omit<Command, 'image'>;

/** What is to be sent, or why it must not be. */
function planTask(parts: ExecutionParts, { row, isExpired }: Pick<Execution, 'row' | 'isExpired'>): Plan | TaskOutcome {
  const { deps } = parts;
  const notHere = notAllowed(row.name, parts.settings);
  if (notHere !== undefined) return failed(notHere);
  if (isExpired()) return expired();
  const name = driverAbilityOf(row.name);
  if (name === undefined) return failed(`unsupported: this agent cannot do ${row.name}`);
  const target = deps.find(row.minerKey);
  if (target === undefined) return failed('this agent does not know the miner');
  if (!deps.mayReach(target.ip)) return failed(`refused: ${target.ip} is outside the networks configured here`);
  const ability = target.abilities[name];
  if (ability === undefined) return failed(`unsupported: driver ${target.driverId} cannot do ${row.name}`);
  const doubt = ability.effect === 'read-only' ? undefined : deps.doubtOf?.(row.minerKey);
  if (doubt !== undefined) return failed(`refused: ${doubt}`);
  const { force, url, ...wanted } = row.params;
  const fetched = ability.fetchesItself === 'from-url' ? url : undefined;
  if (fetched !== undefined && !(typeof fetched === 'string' && deps.mayFetch?.(fetched)))
    return failed('refused: the miner would fetch this address itself; allow its host in firmware.allowedHosts');
  const given = fetched === undefined ? wanted : { ...wanted, url: fetched };
  const params = ability.params.safeParse(name === 'reboot' ? {} : given);
  if (!params.success) return failed(`refused: the params do not fit ${row.name}`);
  const refusal = refuseOften(parts, row, name, force === true);
  return refusal ?? { ability: name, params: params.data, ip: target.ip, rule: ability };
}

function refuseOften(
  { journal, clock, settings }: ExecutionParts,
  row: JournalRow,
  ability: AbilityName,
  isForced: boolean,
): TaskOutcome | undefined {
  if (ability !== 'powerMode' && ability !== 'reboot') return undefined;
  const timesWithin = (ageMs: number) => journal.effectsSince(row.minerKey, row.name, clock.elapsedMs() - ageMs);
  const { dailyCap } = settings[ability];
  if (timesWithin(DAY_MS) >= dailyCap) {
    return ability === 'powerMode'
      ? failed(
          `refused: the power mode of the miner was set ${dailyCap} times in 24 hours; see tasks.powerMode.dailyCap`,
        )
      : failed(`refused: the miner was rebooted ${dailyCap} times in 24 hours; it needs a person`);
  }
  const recentMs = settings.reboot.recentS * 1_000;
  if (ability !== 'reboot' || isForced || timesWithin(recentMs) === 0) return undefined;
  return failed(`refused: the miner was rebooted in the last ${formatDurationMs(recentMs)}; force it if you must`);
}

/** Carries the task out. Rejects with CancelledError when it is given up before it is started, or the agent stops. */
export async function execute(parts: ExecutionParts, execution: Execution): Promise<TaskOutcome> {
  const { clock, deps, journal } = parts;
  const { row } = execution;
  const early = AbortSignal.any([execution.giveUp, execution.stop]);
  const first = planTask(parts, execution);
  if ('status' in first) return first;
  const isSent = first.ability === 'firmware' && first.rule.fetchesItself === undefined;
  const image = isSent ? await findImage(deps, row, early) : undefined;
  if (image !== undefined && 'status' in image) return image;
  const isWatched = first.ability === 'reboot' || first.ability === 'firmware';
  // A change goes to the miner that was meant, not to the unit that has its address by now.
  let lookedAt = first.ip;
  const look = () => {
    lookedAt = deps.find(row.minerKey)?.ip ?? lookedAt;
    return first.rule.effect === 'read-only' ? undefined : readBaseline(parts, row, first.ability, early);
  };
  let seen = await look();
  if (seen !== undefined && 'status' in seen) return seen;
  const isPowered = drawsInrush(first, row);
  const askedMs = clock.monotonicMs();
  if (isPowered) await parts.power.pass(early);
  if (clock.monotonicMs() - askedMs > FRESH_MS) seen = (await look()) ?? seen;
  if (seen !== undefined && 'status' in seen) return seen;
  const before = isWatched ? seen : undefined;
  // Waiting takes time: what was true before it may not be now.
  const plan = planTask(parts, execution);
  if ('status' in plan) return plan;
  if (early.aborted) throw new CancelledError(`begin ${row.name}`);

  const actedMs = clock.elapsedMs();
  const unit = deps.unitOf?.(row.minerKey);
  const gone = movedBefore(deps, row.minerKey, lookedAt);
  if (gone !== undefined) return gone;
  journal.started(row.taskId, { baseline: before, unit }, isPowered, actedMs);
  execution.onState('started');
  if (goesOffline(plan.rule, plan.ability)) deps.onPhase(row.minerKey, 'rebooting');
  const reply = await sendCommand(parts, { ...plan, image }, row, before !== undefined || !isWatched, execution.stop);
  if ('status' in reply) return reply;

  const isReplyLost = reply.kind === 'lost-reply';
  if (reply.kind === 'accepted' && plan.ability === 'log') return settleLog(parts, row, reply);
  if (reply.kind === 'accepted' && !isWatched && plan.rule.shows === undefined) {
    return succeeded(reply.note ?? null, { proof: 'answer only' });
  }
  if (isReplyLost && !isWatched && plan.rule.shows === undefined) return afterAct(replyLost(plan));
  if (!isReplyLost) {
    journal.moved(row.taskId, 'sent', clock.elapsedMs());
    execution.onState('sent');
  }
  journal.moved(row.taskId, 'verifying', clock.elapsedMs());
  execution.onState('verifying');
  const note = reply.kind === 'accepted' ? reply.note : undefined;
  // A file takes minutes to send: the time for showing it begins when the miner has it.
  const sinceMs = plan.ability === 'firmware' ? clock.elapsedMs() : actedMs;
  const begun = { minerKey: row.minerKey, baseline: before, unit, actedMs: sinceMs };
  const start = { ...begun, isRecovered: false, isReplyLost, note };
  return prove(parts, plan.rule, plan.ability, plan.params, start, execution);
}

/** Goes on where an earlier run of the agent ended. Undefined = it may simply run again. */
export async function resume(parts: ExecutionParts, execution: Execution): Promise<TaskOutcome | undefined> {
  const { row } = execution;
  const name = driverAbilityOf(row.name);
  const rule = name === undefined ? undefined : parts.deps.find(row.minerKey)?.abilities[name];
  if (rule?.effect === 'read-only' || rule?.effect === 'repeatable') return undefined;
  const canShow = name === 'reboot' || name === 'firmware' || rule?.shows !== undefined;
  if (name === undefined || !canShow || (rule === undefined && name !== 'reboot')) {
    const message = 'interrupted by a restart of the agent: it may have been done, and is not done again';
    return afterAct(failed(message, { interrupted: true }));
  }
  if (goesOffline(rule, name)) parts.deps.onPhase(row.minerKey, 'rebooting');
  parts.journal.moved(row.taskId, 'verifying', parts.clock.elapsedMs());
  execution.onState('verifying');
  const actedMs = row.sentMs ?? row.startedMs ?? row.acceptedMs;
  const begun = { minerKey: row.minerKey, baseline: row.baseline, unit: row.unit, actedMs };
  const start = { ...begun, isRecovered: true, isReplyLost: false };
  return prove(parts, rule, name, row.params, start, execution);
}

/** Whether a miner that does not answer meanwhile is no fault. */
export function goesOffline(rule: Ability | undefined, name: AbilityName): boolean {
  return name === 'reboot' || (rule !== undefined && rule.offlineS[1] > 0);
}

type ProofStart = VerifyStart & { readonly note?: string | undefined };

async function prove(
  parts: ExecutionParts,
  rule: Ability | undefined,
  ability: AbilityName,
  params: unknown,
  start: ProofStart,
  execution: Execution,
): Promise<TaskOutcome> {
  try {
    return await verify(parts, rule, ability, params, start, execution);
  } catch (error) {
    const outcome = changedOutcome(error, start, parts);
    if (outcome === undefined) throw error;
    return afterAct(outcome);
  }
}

function verify(
  parts: ExecutionParts,
  rule: Ability | undefined,
  ability: AbilityName,
  params: unknown,
  start: ProofStart,
  execution: Execution,
): Promise<TaskOutcome> {
  if (ability === 'reboot') {
    const backS = parts.settings.reboot.backS ?? Math.max(DEFAULT_BACK_S, (rule?.offlineS[1] ?? 0) + BACK_MARGIN_S);
    const offlineS = rule?.offlineS[1] || DEFAULT_OFFLINE_S;
    return verifyReboot(parts, { ...start, backS, offlineS }, execution.capacity, execution.stop);
  }
  const shows = (reading: Reading) =>
    rule?.shows?.(reading, params) ??
    (ability === 'firmware' ? showsVersion(reading, execution.row.params.version) : undefined);
  return verifyEffect(parts, { ...start, ability, shows, timing: rule ?? { offlineS: [0, 0] } }, execution.stop);
}

/** The file that the task names, or why nothing is sent. */
async function findImage(deps: TaskDeps, row: JournalRow, signal: AbortSignal): Promise<FirmwareImage | TaskOutcome> {
  if (deps.image === undefined) return failed('refused: this agent has no firmware folder');
  try {
    return await deps.image(row.params, signal);
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
  { minerKey, name }: JournalRow,
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
    // A miner whose reading side hangs may still take the order.
    log.debug({ minerKey, error: renderError(error) }, 'no reading before an order');
    return refuseUnidentified(deps.identifyTarget(minerKey), ability, name);
  }
}

/** Nothing could show whether it was done. */
function replyLost({ ability, rule }: Plan): TaskOutcome {
  const hint = rule.effect === 'once' ? '; it is not sent again' : '';
  return failed(`the reply to ${ability} was lost: it may have been done${hint}`, { replyLost: true });
}

function settleLog({ deps }: ExecutionParts, { minerKey }: JournalRow, reply: ActResult): TaskOutcome {
  const { note = null, log } = reply.kind === 'accepted' ? reply : {};
  if (log === undefined) return failed('the miner gave no log');
  return succeeded(note, logEvidence(log, deps.secretsOf?.(minerKey)));
}

/** Whether the farm's power budget counts it: a restart, whatever the order that brings it about, or a wake. */
function drawsInrush({ ability, rule }: Plan, { params }: JournalRow): boolean {
  if (ability === 'powerMode') return params.mode !== 'sleep';
  return ability === 'firmware' || goesOffline(rule, ability);
}

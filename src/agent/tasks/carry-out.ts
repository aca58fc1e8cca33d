// One task from its turn to its outcome: checked, read before, journaled, sent once, proven. It holds no queue.
import type { Clock } from '../../base/clock.ts';
import { withDeadline } from '../../base/deadline.ts';
import { formatDurationMs } from '../../base/duration.ts';
import { PeerError, RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { AbilityName, ActResult } from '../../driver/contract.ts';
import { type Effect, TASK_ABILITIES } from '../../model/task.ts';
import type { TaskDeps, TaskOutcome } from './contract.ts';
import type { Baseline, Journal, JournalRow } from './journal.ts';
import type { PowerGate } from './power-gate.ts';
import type { TaskSettings } from './settings.ts';
import { watchReboot } from './watch.ts';

export type CarryOutParts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: TaskSettings;
  readonly deps: TaskDeps;
  readonly journal: Journal;
  readonly power: PowerGate;
};

export type Turn = {
  readonly row: JournalRow;
  /** Aborts when the task is given up; heeded until it is started. */
  readonly giveUp: AbortSignal;
  /** Aborts when the agent stops: the journal says where to go on. */
  readonly stop: AbortSignal;
  onState(state: 'started' | 'sent' | 'verifying'): void;
  /** The miner is back: another may have the place. */
  onBack(): void;
};

/** `tookEffect` = the miner may have done it. */
export type TaskEnd = { readonly outcome: TaskOutcome; readonly tookEffect: boolean };

const BUSY_TRIES = 3;
const BUSY_PAUSE_MS = 5_000;
const DAY_MS = 24 * 3_600_000;

export function failed(message: string, evidence: Readonly<Record<string, unknown>> = {}): TaskOutcome {
  return { status: 'failed', message, evidence };
}

/** The ability that a task wants of a miner; undefined for tasks that no miner carries out. */
export function abilityOf(name: JournalRow['name']): AbilityName | undefined {
  const abilities: Partial<Record<JournalRow['name'], AbilityName>> = TASK_ABILITIES;
  return abilities[name];
}

type Plan = { readonly ability: AbilityName; readonly effect: Effect; readonly params: unknown; readonly ip: string };

/** What is to be sent, or why it must not be. */
export function planTask(parts: CarryOutParts, row: JournalRow): Plan | TaskOutcome {
  const { deps, clock } = parts;
  if (row.expiresMs <= clock.nowMs()) return expired();
  const name = abilityOf(row.name);
  if (name === undefined) return failed(`unsupported: this agent cannot do ${row.name}`);
  const target = deps.find(row.minerKey);
  if (target === undefined) return failed('this agent does not know the miner');
  if (!deps.mayReach(target.ip)) return failed(`refused: ${target.ip} is outside the networks configured here`);
  const ability = target.abilities[name];
  if (ability === undefined) return failed(`unsupported: driver ${target.driverId} cannot do ${row.name}`);
  const { force, ...wanted } = row.params;
  const params = ability.params.safeParse(name === 'reboot' ? {} : wanted);
  if (!params.success) return failed(`refused: the params do not fit ${row.name}`);
  const refusal = name === 'reboot' ? refuseReboot(parts, row, force === true) : undefined;
  return refusal ?? { ability: name, effect: ability.effect, params: params.data, ip: target.ip };
}

function refuseReboot({ journal, clock, settings }: CarryOutParts, row: JournalRow, isForced: boolean) {
  const { dailyCap, recentS } = settings.reboot;
  const nowMs = clock.nowMs();
  if (journal.effectsSince(row.minerKey, row.name, nowMs - DAY_MS) >= dailyCap) {
    return failed(`refused: the miner was rebooted ${dailyCap} times in 24 hours; it needs a person`);
  }
  if (!isForced && journal.effectsSince(row.minerKey, row.name, nowMs - recentS * 1_000) > 0) {
    return failed(
      `refused: the miner was rebooted in the last ${formatDurationMs(recentS * 1_000)}; force it if you must`,
    );
  }
  return undefined;
}

export function expired(): TaskOutcome {
  return { status: 'timeout', message: 'not started before it expired', evidence: {} };
}

/** Carries the task out. Rejects with CancelledError when it is given up before it is started, or the agent stops. */
export async function carryOut(parts: CarryOutParts, turn: Turn): Promise<TaskEnd> {
  const { clock, deps, journal } = parts;
  const { row } = turn;
  const early = AbortSignal.any([turn.giveUp, turn.stop]);
  const first = planTask(parts, row);
  if ('status' in first) return { outcome: first, tookEffect: false };
  const before = first.ability === 'reboot' ? await readBaseline(parts, row.minerKey, early) : undefined;
  if (isPowered(first, row)) await parts.power.pass(early);
  // Waiting takes time: what was true before it may not be now.
  const plan = planTask(parts, row);
  if ('status' in plan) return { outcome: plan, tookEffect: false };

  const actedMs = clock.nowMs();
  journal.started(row.taskId, before, actedMs);
  turn.onState('started');
  if (plan.ability === 'reboot') deps.onPhase(row.minerKey, 'rebooting');
  const reply = await send(parts, plan, row, before !== undefined || plan.ability !== 'reboot', turn.stop);
  if ('status' in reply) return { outcome: reply, tookEffect: false };

  const isReplyLost = reply.kind === 'lost-reply';
  if (plan.ability !== 'reboot') return settle(plan, reply);
  if (!isReplyLost) {
    journal.moved(row.taskId, 'sent', clock.nowMs());
    turn.onState('sent');
  }
  journal.moved(row.taskId, 'verifying', clock.nowMs());
  turn.onState('verifying');
  const start = { minerKey: row.minerKey, baseline: before, actedMs, isRecovered: false, isReplyLost };
  return prove(parts, start, turn);
}

/** Goes on where an earlier run of the agent ended. Undefined = it may simply run again. */
export async function goOn(parts: CarryOutParts, turn: Turn): Promise<TaskEnd | undefined> {
  const { row } = turn;
  const name = abilityOf(row.name);
  const effect = name === undefined ? undefined : parts.deps.find(row.minerKey)?.abilities[name]?.effect;
  if (effect === 'read-only' || effect === 'repeatable') return undefined;
  if (name !== 'reboot') {
    const message = 'interrupted by a restart of the agent: it may have been done, and is not done again';
    return { outcome: failed(message, { interrupted: true }), tookEffect: true };
  }
  parts.deps.onPhase(row.minerKey, 'rebooting');
  parts.journal.moved(row.taskId, 'verifying', parts.clock.nowMs());
  turn.onState('verifying');
  const actedMs = row.sentMs ?? row.startedMs ?? row.acceptedMs;
  const start = { minerKey: row.minerKey, baseline: row.baseline, actedMs, isRecovered: true, isReplyLost: false };
  return prove(parts, start, turn);
}

async function prove(parts: CarryOutParts, start: Parameters<typeof watchReboot>[1], turn: Turn): Promise<TaskEnd> {
  const { clock, log, settings, deps } = parts;
  const watch = { clock, log, settings, observe: deps.observe };
  const { outcome, hasRestarted } = await watchReboot(watch, start, turn.onBack, turn.stop);
  return { outcome, tookEffect: hasRestarted };
}

/** What the miner says before it is rebooted; undefined when it does not answer. */
async function readBaseline(
  { clock, settings, deps, log }: CarryOutParts,
  minerKey: string,
  signal: AbortSignal,
): Promise<Baseline | undefined> {
  try {
    const reading = await withDeadline(
      clock,
      {
        deadlineMs: settings.observeS * 1_000,
        signal,
        onDeadline: () => new PeerError('peer.timeout', `look at miner ${minerKey}`, 'soon'),
      },
      (within) => deps.observe(minerKey, within),
    );
    const { uptimeS, systemUptimeS, hashrateHs } = reading;
    return {
      atMs: clock.nowMs(),
      ...(uptimeS === undefined ? {} : { uptimeS }),
      ...(systemUptimeS === undefined ? {} : { systemUptimeS }),
      ...(hashrateHs === undefined ? {} : { hashrateHs }),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    // A miner whose reading side hangs may still take the order.
    log.debug({ minerKey, error: renderError(error) }, 'no reading before a reboot');
    return undefined;
  }
}

/** Sends the order. A reply that may mean that it was done counts as lost; a clear refusal is the outcome. */
async function send(
  { clock, log, settings, deps }: CarryOutParts,
  plan: Plan,
  { minerKey, taskId }: JournalRow,
  /** False = it did not answer just before either. */
  hasAnswered: boolean,
  stop: AbortSignal,
): Promise<ActResult | TaskOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withDeadline(
        clock,
        {
          deadlineMs: settings.actS * 1_000,
          signal: stop,
          onDeadline: () => new PeerError('peer.timeout', `${plan.ability} on ${plan.ip}`, 'soon'),
        },
        (within) => deps.act(minerKey, plan.ability, plan.params, within),
      );
    } catch (error) {
      if (stop.aborted) throw error;
      if (error instanceof RefusedError) return failed(`refused: ${error.message}`);
      if (!(error instanceof PeerError)) {
        log.error({ taskId, minerKey, error: renderError(error) }, 'an order to a miner failed on our side');
        return { kind: 'lost-reply' };
      }
      const refusal = refusalOf(error, hasAnswered);
      if (refusal === undefined) {
        if (plan.effect === 'once' || attempt >= 2) return { kind: 'lost-reply' };
      } else if (error.code !== 'peer.busy' || attempt >= BUSY_TRIES) return failed(refusal);
      await clock.sleep(BUSY_PAUSE_MS, stop);
    }
  }
}

/** Why the miner did not do it, in words; undefined when it may have done it. */
function refusalOf(error: PeerError, hasAnswered: boolean): string | undefined {
  switch (error.code) {
    case 'peer.permission':
      return `refused by the miner: not allowed (${renderError(error)})`;
    case 'peer.auth':
      return `refused by the miner: login not accepted (${renderError(error)})`;
    case 'peer.unsupported':
      return `unsupported by the miner (${renderError(error)})`;
    case 'peer.rejected':
      return `refused by the miner (${renderError(error)})`;
    case 'peer.busy':
      return `the miner is busy (${renderError(error)})`;
    case 'peer.refused':
    case 'peer.unreachable':
      return `the miner does not answer (${renderError(error)})`;
    case 'peer.timeout':
    case 'peer.reset':
      if (error.wasSent === false || (error.wasSent === undefined && !hasAnswered)) {
        return `the miner does not answer (${renderError(error)})`;
      }
      return undefined;
    case 'peer.too-large':
    case 'peer.unparsable':
      return undefined;
  }
}

/** Abilities without a proof of their own: the driver has read back where the device's word is not enough. */
function settle({ ability, effect }: Plan, reply: ActResult): TaskEnd {
  if (reply.kind === 'accepted') {
    return { outcome: { status: 'succeeded', message: reply.note ?? null, evidence: {} }, tookEffect: true };
  }
  const hint = effect === 'once' ? '; it is not sent again' : '';
  const message = `the reply to ${ability} was lost: it may have been done${hint}`;
  return { outcome: failed(message, { replyLost: true }), tookEffect: true };
}

/** Whether it loads the breakers: a reboot, or a wake. */
function isPowered({ ability }: Plan, { params }: JournalRow): boolean {
  return ability === 'reboot' || (ability === 'powerMode' && params.mode !== 'sleep');
}

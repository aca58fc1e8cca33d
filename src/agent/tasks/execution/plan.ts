// What a task would send, or why it must not be sent; and what that does to the miner and the farm. It sends nothing.
import { formatDurationMs } from '../../../base/time/duration.ts';
import type { AbilityName } from '../../../driver/contract.ts';
import type { LoadedAbility } from '../../../driver/load/loaded-driver.ts';
import { driverAbilityOf } from '../../../model/task.ts';
import { failed, type TaskOutcome } from '../contract.ts';
import { UNKNOWN_DRAW_W } from '../pace/draw.ts';
import { expired } from '../queue/admission.ts';
import { notAllowed } from '../settings.ts';
import type { StoredTask } from '../stored-task.ts';
import type { Controls, Execution, ExecutionParts } from './execution.ts';

const DAY_MS = 24 * 3_600_000;
const RESTARTS_NOTHING: readonly AbilityName[] = ['light', 'log', 'password'];

/** Whether a task of this name makes some devices restart, or their mining at least. */
export function mayRestart(name: string): boolean {
  const ability = driverAbilityOf(name);
  return ability !== undefined && !RESTARTS_NOTHING.includes(ability);
}

/** A command as it is to be sent. */
export type Plan = Pick<Execution, 'ability' | 'params'> & { readonly rule: LoadedAbility; readonly ip: string };

type PlanParts = Pick<ExecutionParts, 'clock' | 'settings' | 'deps' | 'journal'>;
type Asked = Pick<StoredTask, 'name' | 'minerKey' | 'params'>;

/** What is to be sent, or why it must not be. `given` = the params of the task, filled in for this miner. */
export function planTask(
  parts: PlanParts,
  task: Asked,
  controls: Pick<Controls, 'isExpired'>,
  given: StoredTask['params'],
): Plan | TaskOutcome {
  const allowed = checkTask(parts, task, controls);
  if ('status' in allowed) return allowed;
  const { ability: name, ip, rule: ability } = allowed;
  const misfit = name === 'firmware' ? unfit(parts.deps, task) : undefined;
  if (misfit !== undefined) return failed(`refused: ${misfit}`);
  const { force, url, ...wanted } = given;
  const fetched = ability.fetchesItself === 'from-url' ? url : undefined;
  if (ability.fetchesItself === 'from-url' && url === undefined)
    return failed('refused: the miner fetches its image itself, so it needs a url that it can reach');
  if (fetched !== undefined && !(typeof fetched === 'string' && parts.deps.mayFetch?.(fetched)))
    return failed('refused: the miner would fetch this address itself; allow its host in firmware.allowedHosts');
  const taken = fetched === undefined ? wanted : { ...wanted, url: fetched };
  const params = ability.params.safeParse(name === 'reboot' ? {} : taken);
  if (!params.success) return failed(`refused: the params do not fit ${task.name}`);
  const refusal = refuseOften(parts, task, name, force === true);
  return refusal ?? { ability: name, params: params.data, ip, rule: ability };
}

/** Whether the task may be done to its miner at all, whatever its params; an outcome = it must not. */
export function checkTask(
  parts: PlanParts,
  task: Asked,
  { isExpired }: Pick<Controls, 'isExpired'>,
): Omit<Plan, 'params'> | TaskOutcome {
  const { deps } = parts;
  const notHere = notAllowed(task.name, parts.settings);
  if (notHere !== undefined) return failed(notHere);
  if (isExpired()) return expired();
  const name = driverAbilityOf(task.name);
  if (name === undefined) return failed(`unsupported: this agent cannot do ${task.name}`);
  const target = deps.find(task.minerKey);
  if (target === undefined) return failed('this agent does not know the miner');
  if (!deps.mayReach(target.ip)) return failed(`refused: ${target.ip} is outside the networks configured here`);
  const ability = target.abilities[name];
  if (ability === undefined && target.withheld?.includes(name)) {
    const setting = `drivers.${target.driverId}.allow: [${name}]`;
    return failed(`refused: a driver of the folder only reads until the configuration allows more: ${setting}`);
  }
  if (ability === undefined) return failed(`unsupported: driver ${target.driverId} cannot do ${task.name}`);
  const doubt = ability.effect === 'read-only' ? undefined : deps.doubtOf?.(task.minerKey);
  if (doubt !== undefined) return failed(`refused: ${doubt}`);
  const whyNot = name === 'password' ? whyNoPassword(deps, task.minerKey) : undefined;
  if (whyNot !== undefined) return failed(`refused: ${whyNot}`);
  return { ability: name, ip: target.ip, rule: ability };
}

const whyNoPassword = ({ passwords }: PlanParts['deps'], minerKey: string): string | undefined =>
  passwords === undefined ? 'this agent changes no passwords' : passwords.whyNot(minerKey);

/** By what the task says of its image, before that is looked for. */
function unfit({ imageFit }: PlanParts['deps'], { minerKey, params }: Asked): string | undefined {
  const { file, url, family } = params;
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname.split('/').at(-1) : undefined;
  const name = typeof file === 'string' ? file : (address ?? '');
  return imageFit?.byName(minerKey, name, typeof family === 'string' ? family : undefined);
}

function refuseOften(
  { journal, clock, settings }: PlanParts,
  task: Asked,
  ability: AbilityName,
  isForced: boolean,
): TaskOutcome | undefined {
  if (ability !== 'powerMode' && ability !== 'reboot') return undefined;
  const timesWithin = (ageMs: number) => journal.effectsSince(task.minerKey, task.name, clock.elapsedMs() - ageMs);
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

/** Whether a miner that does not answer meanwhile is no fault. */
export function goesOffline(rule: LoadedAbility | undefined, name: AbilityName): boolean {
  return name === 'reboot' || (rule !== undefined && rule.offlineS[1] > 0);
}

type Planned = Pick<Plan, 'ability' | 'rule'>;

/** Whether the farm's power budget counts it: a restart, whatever task brings it about, or a wake. */
function drawsInrush({ ability, rule }: Planned, { params }: Pick<StoredTask, 'params'>): boolean {
  // A web server that starts anew is no miner that does.
  if (ability === 'password') return false;
  if (ability === 'powerMode') return params.mode !== 'sleep';
  return ability === 'firmware' || goesOffline(rule, ability);
}

/** What the task counts for in the power budget, W; 0 = nothing. */
export function startingPower(
  { deps, settings }: Pick<ExecutionParts, 'deps' | 'settings'>,
  plan: Planned,
  task: Pick<StoredTask, 'minerKey' | 'params'>,
): number {
  if (!drawsInrush(plan, task)) return 0;
  return Math.round((deps.draw?.of(task.minerKey) ?? UNKNOWN_DRAW_W) * settings.powerGate.inrush);
}

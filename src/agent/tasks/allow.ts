// What this site lets anybody do to its miners and to the agent: the service, a rule, a technician. Pure; whoever sends asks first.
import { RefusedError } from '../../base/errors.ts';
import { TASK_ABILITIES } from '../../model/task.ts';
import type { TaskSettings } from './settings.ts';

/** The switch of each task, by its name. */
const SWITCHES = {
  ...TASK_ABILITIES,
  'miner.pool.lock': 'poolLock',
  'agent.scan.create': 'scan',
  'agent.self.update': 'selfUpdate',
} as const satisfies Readonly<Record<string, keyof TaskSettings['allow']>>;

/** What changes nothing, and so is done by an agent that only reads. */
const READS: ReadonlySet<keyof TaskSettings['allow']> = new Set(['log', 'scan']);

export type AllowSettings = Pick<TaskSettings, 'control' | 'allow'>;

/** Why tasks of this name are refused here, with the setting to change; undefined when they are not. */
export function notAllowed(name: string, { control, allow }: AllowSettings): string | undefined {
  const switches: Readonly<Partial<Record<string, keyof TaskSettings['allow']>>> = SWITCHES;
  const kind = Object.hasOwn(switches, name) ? switches[name] : undefined;
  if (kind === undefined) return undefined;
  if (!allow[kind]) return `not allowed here: tasks.allow.${kind} is false in the configuration of this agent`;
  if (control || READS.has(kind)) return undefined;
  return 'not allowed here: tasks.control is false in the configuration of this agent, so it only reads';
}

/** For what is done without the gate. Throws RefusedError that says what is refused, and why. */
export function mustBeAllowed(name: string, what: string, settings: AllowSettings): void {
  const reason = notAllowed(name, settings);
  if (reason !== undefined) throw new RefusedError('tasks.not-allowed', `${what}: ${reason}`);
}

/** The switches that are off, as they are written in the configuration. */
export function switchedOff({ control, allow }: AllowSettings): readonly string[] {
  const kinds = Object.entries(allow).filter(([, isAllowed]) => !isAllowed);
  return [...(control ? [] : ['tasks.control']), ...kinds.map(([kind]) => `tasks.allow.${kind}`)];
}

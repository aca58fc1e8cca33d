// Tasks and batches: names, states, actors. Interface document "Task names", spec decisions "Tasks".
import { z } from 'zod';
import { type AbilityName, type ExecutionTaskName, FORCED_CANARIES, TASK_KINDS } from './tasks/task-kinds.data.ts';

const isExecutionTask = (name: string): name is ExecutionTaskName => Object.hasOwn(TASK_KINDS, name);
export const EXECUTION_TASK_NAMES = Object.keys(TASK_KINDS).filter(isExecutionTask);
const EVENT_TASK_NAMES = ['miner.asset.update', 'miner.asset.delete', 'miner.rack_location.update'] as const;
export const TASK_NAMES = [...EXECUTION_TASK_NAMES, ...EVENT_TASK_NAMES] as const;
/** What is done at once when it is asked for, and only recorded as a task. */
export const isEventTask = (name: string): boolean => EVENT_TASK_NAMES.some((one) => one === name);
export const taskNameSchema = z.enum(TASK_NAMES);
export type TaskName = z.infer<typeof taskNameSchema>;

export const BATCH_STATUSES = [
  'pending',
  'running',
  'succeeded',
  'partially_succeeded',
  'failed',
  'cancelled',
] as const;
export const batchStatusSchema = z.enum(BATCH_STATUSES);
export type BatchStatus = z.infer<typeof batchStatusSchema>;

export const TASK_STATUSES = ['pending', 'running', 'succeeded', 'failed', 'timeout', 'cancelled'] as const;
export const taskStatusSchema = z.enum(TASK_STATUSES);
export type TaskStatus = z.infer<typeof taskStatusSchema>;

/**
 * How a batch is to be carried out, if not all at once. Of the numbers that stop it the one that is reached first
 * counts.
 */
export type RolloutRequest = {
  readonly canary?: number | undefined;
  readonly stop_after?: number | undefined;
  readonly stop_after_percent?: number | undefined;
};

/** As it is asked for, but with the canary that such tasks always have. */
export function withForcedCanary<R extends { readonly canary?: number | undefined }>(
  name: string,
  rollout: R | undefined,
): R | (Omit<R, 'canary'> & { readonly canary: number }) | { readonly canary: number } | undefined {
  const canary = forcedCanaryOf(name);
  return canary === undefined ? rollout : { ...rollout, canary };
}

/** Undefined for tasks that have none of their own. */
export const forcedCanaryOf = (name: string): number | undefined =>
  Object.hasOwn(FORCED_CANARIES, name) ? FORCED_CANARIES[name] : undefined;

export const isFinal = (status: TaskStatus): boolean => status !== 'pending' && status !== 'running';

/** The status of a batch follows from its tasks and from nothing else. */
export function batchStatus(tasks: Iterable<TaskStatus>): BatchStatus {
  const seen = new Set(tasks);
  const isEach = (status: TaskStatus) => seen.size === 1 && seen.has(status);
  if (seen.size === 0 || isEach('pending')) return 'pending';
  if (seen.has('pending') || seen.has('running')) return 'running';
  if (isEach('succeeded')) return 'succeeded';
  if (isEach('cancelled')) return 'cancelled';
  return seen.has('succeeded') ? 'partially_succeeded' : 'failed';
}

export const ACTOR_TYPES = ['user', 'api_key', 'agent', 'system'] as const;
export const actorSchema = z.strictObject({
  type: z.enum(ACTOR_TYPES),
  id: z.string(),
  name: z.string(),
  avatar: z.string().meta({ format: 'uri', description: 'Picture of who it was, as an address; may be a data: URL' }),
  metadata: z.record(z.string(), z.unknown()),
});
export type Actor = z.infer<typeof actorSchema>;

/** A picture for an actor without one of its own. It holds its bytes, so that no request leaves for it. */
export function avatarOf(type: Actor['type']): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="${AVATAR_COLOURS[type]}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
const AVATAR_COLOURS: Readonly<Record<Actor['type'], string>> = {
  user: 'steelblue',
  api_key: 'slategray',
  agent: 'seagreen',
  system: 'dimgray',
};

/** A person of this host, by the name of the system user: it is the client's own word, and marked as that. */
export const personOfHost = (name: string): Actor => ({
  type: 'user',
  id: `host:${name}`,
  name,
  avatar: avatarOf('user'),
  metadata: { via: 'control-socket' },
});

/** Who did something, as events name it: without the picture; `via` marks a name that is not checked. */
export const shownActor = ({ type, id, name, metadata: { via } }: Actor) => ({
  ...{ type, id, name },
  ...(typeof via === 'string' && { via }),
});

/** Fields whose values are never shown, not even to their sender: what is shown ends up in logs. */
export const SECRET_NAME =
  /password|passwd|passphrase|^pass$|pwd|secret|token|credential|authorization|(api|private)[_-]?key/i;

/**
 * The params as people may see them: without what is secret, at any depth; what opens an address is for the agent that
 * fetches from there.
 */
export const shownParams = (params: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).map(hideSecret));

const hideSecret = ([name, value]: [string, unknown]): [string, unknown] => {
  if (SECRET_NAME.test(name)) return [name, '***'];
  return [name, name === 'url' && typeof value === 'string' ? shownUrl(value) : hideSecrets(value)];
};

function hideSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(hideSecret));
}

/** Without its user, password and query, where it has any. */
function shownUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.username === '' && url.password === '' && url.search === '') return text;
  const user = url.username === '' && url.password === '' ? '' : '***@';
  return `${url.protocol}//${user}${url.host}${url.pathname}${url.search === '' ? '' : '?***'}`;
}

/** Undefined for a name that is no execution task. */
export const taskKindOf = (name: string) => (isExecutionTask(name) ? TASK_KINDS[name] : undefined);

/** The others are about miners. */
export const isAboutAgents = (name: TaskName): boolean => name.startsWith('agent.');

/** The ability with which a driver carries the task out; undefined for a task that none carries out. */
export function driverAbilityOf(name: string): AbilityName | undefined {
  const kind = taskKindOf(name);
  return kind?.doneBy === 'driver' ? kind.ability : undefined;
}

/** The abilities behind these tasks, each once. */
export const abilitiesOf = (taskNames: readonly string[]): AbilityName[] => [
  ...new Set(taskNames.flatMap((name) => taskKindOf(name)?.ability ?? [])),
];

/** Of every miner, whatever its driver can do. */
const OF_EVERY_MINER = EXECUTION_TASK_NAMES.filter((name) => TASK_KINDS[name].ability === null && !isAboutAgents(name));

/** The tasks that a miner with these abilities can be given. */
export const taskNamesOf = (abilities: readonly string[]): TaskName[] => [
  ...OF_EVERY_MINER,
  ...abilities.flatMap((ability) => EXECUTION_TASK_NAMES.filter((name) => TASK_KINDS[name].ability === ability)),
];

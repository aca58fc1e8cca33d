// The kinds of tasks, one row each. Data only: what a task takes is in task-params.ts.

/**
 * Effect of an action if it runs again: `once` is never repeated after a crash; its outcome is
 * settled by looking.
 */
export const EFFECTS = ['read-only', 'repeatable', 'once'] as const;
export type Effect = (typeof EFFECTS)[number];

/** Abilities of drivers. */
export const ABILITY_NAMES = ['reboot', 'light', 'powerMode', 'pools', 'firmware', 'log', 'password'] as const;
export type AbilityName = (typeof ABILITY_NAMES)[number];

export type TaskKind = {
  /** What a key, and a grant where there is one, must have so that a request can create it. */
  readonly permission: `tasks.${string}`;
  /** Its switch below `tasks.allow` in the configuration of an agent, and the default; null = there is none. */
  readonly allow: string | null;
  readonly isAllowed: boolean;
  /** What the driver of the miner must be able to do; null = nothing, or the task is about the agent. */
  readonly ability: AbilityName | null;
  /** `driver` = one call of that ability; `agent` = work of the agent itself, which may run again after a crash. */
  readonly doneBy: 'driver' | 'agent';
  readonly effect: Effect;
  /** The commands of `pithead` for it, with commas between; null = there is none. */
  readonly command: string | null;
};

// biome-ignore format: a table
export const TASK_KINDS = {
  'miner.system.reboot':     { permission: 'tasks.reboot',       allow: 'reboot',     isAllowed: true, ability: 'reboot',    doneBy: 'driver', effect: 'once',       command: 'reboot' },
  'miner.log.get':           { permission: 'tasks.log',          allow: 'log',        isAllowed: true, ability: 'log',       doneBy: 'driver', effect: 'read-only',  command: 'log' },
  'miner.refresh.get':       { permission: 'tasks.refresh',      allow: null,         isAllowed: true, ability: null,        doneBy: 'agent',  effect: 'read-only',  command: 'refresh' },
  'miner.light.update':      { permission: 'tasks.light',        allow: 'light',      isAllowed: true, ability: 'light',     doneBy: 'driver', effect: 'repeatable', command: 'light on, light off' },
  'miner.power_mode.update': { permission: 'tasks.power_mode',   allow: 'powerMode',  isAllowed: true, ability: 'powerMode', doneBy: 'driver', effect: 'once',       command: 'sleep, wake, power' },
  'miner.pool.update':       { permission: 'tasks.pools',        allow: 'pools',      isAllowed: true, ability: 'pools',     doneBy: 'driver', effect: 'once',       command: 'pools set' },
  'miner.pool.lock':         { permission: 'tasks.pools',        allow: 'poolLock',   isAllowed: true, ability: 'pools',     doneBy: 'agent',  effect: 'repeatable', command: 'pools lock, pools unlock' },
  'miner.firmware.update':   { permission: 'tasks.firmware',     allow: 'firmware',   isAllowed: true, ability: 'firmware',  doneBy: 'driver', effect: 'once',       command: 'firmware' },
  'miner.password.update':   { permission: 'tasks.password',     allow: 'password',   isAllowed: false, ability: 'password', doneBy: 'driver', effect: 'once',       command: 'password' },
  'agent.scan.create':       { permission: 'tasks.scan',         allow: 'scan',       isAllowed: true, ability: null,        doneBy: 'agent',  effect: 'read-only',  command: 'scan' },
  'agent.login.update':      { permission: 'tasks.password',     allow: 'login',      isAllowed: true, ability: null,        doneBy: 'agent',  effect: 'repeatable', command: null },
  'agent.self.update':       { permission: 'tasks.agent_update', allow: 'selfUpdate', isAllowed: true, ability: null,        doneBy: 'agent',  effect: 'once',       command: 'update' },
} as const satisfies Readonly<Record<string, TaskKind>>;

/**
 * How many go first of tasks that lock people out of miners when they go wrong, whatever is asked for: the others only
 * when these are proven.
 */
export const FORCED_CANARIES: Readonly<Record<string, number>> = { 'miner.password.update': 1 };

/** What `miner.pool.update` needs when its pools are a saved set. */
export const SAVED_POOLS_PERMISSION = 'tasks.pools_saved';

export type ExecutionTaskName = keyof typeof TASK_KINDS;
export type TaskPermission = (typeof TASK_KINDS)[ExecutionTaskName]['permission'] | typeof SAVED_POOLS_PERMISSION;
export type AllowKey = NonNullable<(typeof TASK_KINDS)[ExecutionTaskName]['allow']>;

/** The tasks that can wait for a second person, by their switch. */
export const SECOND_PERSON_ACTS = ['pools', 'firmware'] as const satisfies readonly AllowKey[];
export type SecondPersonAct = (typeof SECOND_PERSON_ACTS)[number];

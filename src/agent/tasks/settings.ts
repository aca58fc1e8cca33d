// What an operator may set about tasks, with defaults that suit a farm of ordinary control boards, and what that forbids, whoever asks: the service,
// a rule, a technician. Seconds, because that is how windows are told. Pure; whoever sends asks first.
import { z } from 'zod';
import { RefusedError } from '../../base/errors.ts';
import { TASK_ABILITIES } from '../../model/task.ts';
import { poolLockSettingsSchema } from '../pool-lock/guard.ts';

const concurrency = (fallback: number) => z.int().min(1).max(1_000).default(fallback);

/** A kind of task and its own bound on how many miners are worked on at once. */
const kind = (fallback: number) => z.strictObject({ concurrency: concurrency(fallback) }).prefault({});

const isAllowed = z.boolean().default(true);

export const taskSettingsSchema = z.strictObject({
  /** False = this agent only reads: scans and logs of miners, and nothing else, whoever asks. */
  control: z.boolean().default(true),
  /** Kinds of tasks that are carried out here, whoever asks. */
  allow: z
    .strictObject({
      reboot: isAllowed,
      light: isAllowed,
      powerMode: isAllowed,
      pools: isAllowed,
      poolLock: isAllowed,
      firmware: isAllowed,
      log: isAllowed,
      scan: isAllowed,
      selfUpdate: isAllowed,
    })
    .prefault({}),
  reboot: z
    .strictObject({
      /**
       * Miners that may be away because of us at the same time. One whose restart cannot be proven gives its place up once it answers after `graceS`,
       * or has been away for as long as its family may be; as many as this may be away without a place.
       */
      concurrency: concurrency(5),
      /** Back on the network with a restarted uptime within this, or the outcome is `timeout`. Default: 600, or what the family needs if longer. */
      backS: z.int().min(1).max(7_200).optional(),
      /** Hashing again within this (counted from the order), or the outcome is `failed`. */
      hashS: z.int().min(1).max(14_400).default(1_200),
      /** A miner that still answers with a growing uptime after this has not rebooted. */
      graceS: z.int().min(1).max(3_600).default(120),
      checkEveryS: z.number().min(0.05).max(300).default(5),
      /** Reboots of one miner in 24 hours, whoever asked. */
      dailyCap: z.int().min(1).max(1_000).default(6),
      /** Younger reboots than this make a new one wait for `force`. */
      recentS: z.int().min(0).max(86_400).default(600),
    })
    .prefault({}),
  light: kind(20),
  powerMode: z
    .strictObject({
      concurrency: concurrency(5),
      /** Changes of one miner in 24 hours, whoever asked: sleep and wake wear its boards out. */
      dailyCap: z.int().min(1).max(1_000).default(24),
    })
    .prefault({}),
  pools: kind(5),
  firmware: z
    .strictObject({
      concurrency: concurrency(2),
      /** Total time for sending one image to a miner. */
      uploadS: z.int().min(10).max(7_200).default(1_800),
    })
    .prefault({}),
  log: kind(5),
  poolLock: poolLockSettingsSchema,
  /** Farm-wide: at most `count` reboots and wakes are started in any `windowS` seconds, whoever asked. */
  powerGate: z
    .strictObject({
      count: z.int().min(1).max(100_000).default(20),
      windowS: z.number().min(0.1).max(3_600).default(30),
    })
    .prefault({}),
  /** Tasks that wait or run; what comes on top is refused. */
  maxQueued: z.int().min(1).max(100_000).default(10_000),
  /** Total time for one order to a miner, connection and answer included. */
  actS: z.number().min(0.1).max(900).default(60),
  /** Total time for one look at a miner. */
  observeS: z.number().min(0.1).max(300).default(20),
});

export type TaskSettings = z.output<typeof taskSettingsSchema>;

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

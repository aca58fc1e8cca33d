// The settings of tasks, with defaults that suit a farm of ordinary control boards, and which tasks they refuse. Times
// in seconds. Pure: the caller asks before it sends.
import { z } from 'zod';
import { RefusedError } from '../../base/errors.ts';
import { decimal, toggle, whole } from '../../base/settings.ts';
import { taskKindOf } from '../../model/task.ts';
import { type AllowKey, TASK_KINDS } from '../../model/tasks/task-kinds.data.ts';
import { poolLockSettingsSchema } from '../pool-lock/guard.ts';
import { numberOrShare } from './pace/share.ts';

const AT_ONCE = 'Miners that are worked on at the same time.';
const concurrency = (fallback: number) => whole(1, 1_000, fallback, AT_ONCE);
/** A share of a farm of a few miners would be none of them, of a huge one too many. */
const CLAMPED = 'A share is of the miners that this agent knows, at least 5 and at most 200.';
const ofTheFarm = (fallback: string, meaning: string) =>
  numberOrShare(z.int().min(1).max(1_000), 'whole number, 1 to 1000')
    .prefault(fallback)
    .describe(`${meaning} ${CLAMPED}`);

/** A kind of task with a bound of its own. */
const kind = (fallback: number) => z.strictObject({ concurrency: concurrency(fallback) }).prefault({});

const isAllowed = (what: string, fallback = true) => toggle(fallback, `Carry out ${what}.`);

/** The descriptions are the text of `configuration.md` in the handbook. */
export const taskSettingsSchema = z.strictObject({
  control: toggle(true, 'False: this agent only reads. It scans and fetches logs and does nothing else.'),
  allow: z
    .strictObject({
      reboot: isAllowed('reboots'),
      light: isAllowed('changes of the light'),
      powerMode: isAllowed('changes of the power mode, sleep and wake'),
      pools: isAllowed('changes of pools'),
      poolLock: isAllowed('locks of pools'),
      firmware: isAllowed('firmware updates'),
      password: isAllowed('changes of the passwords of miners', false),
      login: isAllowed('logins that people enter for miners'),
      log: isAllowed('requests for logs of miners'),
      scan: isAllowed('scans'),
      selfUpdate: isAllowed('updates of Pithead itself'),
    } satisfies Readonly<Record<AllowKey, z.ZodType>>)
    .prefault({}),
  reboot: z
    .strictObject({
      /**
       * A miner whose restart cannot be proven frees its share of this once it answers after `graceS`, or was away as
       * long as its family may be. As many again may then be away.
       */
      concurrency: ofTheFarm('5 %', 'Miners that may be away at the same time because of reboots.'),
      backS: z
        .int()
        .min(1)
        .max(7_200)
        .optional()
        .describe(
          'Seconds within which a miner must be back with a restarted uptime; else the task ends as `timeout`. Default: 600, or what the family needs if longer.',
        ),
      hashS: whole(
        1,
        14_400,
        1_200,
        'Seconds after the reboot command within which it must hash again; else the task ends as `failed`.',
      ),
      graceS: whole(1, 3_600, 120, 'A miner whose uptime still grows after so many seconds has not rebooted.'),
      checkEveryS: decimal(0.05, 300, 5, 'Seconds between two looks at a rebooting miner.'),
      dailyCap: whole(1, 1_000, 6, 'Reboots of one miner in 24 hours, over all who ask.'),
      recentS: whole(0, 86_400, 600, 'A miner that was rebooted within so many seconds is rebooted only with `force`.'),
    })
    .prefault({}),
  light: kind(20),
  sleep: z
    .strictObject({
      concurrency: whole(
        1,
        1_000,
        200,
        'Miners that are put to sleep at the same time. Sleeping takes load away, so no power budget holds it back.',
      ),
    })
    .prefault({}),
  powerMode: z
    .strictObject({
      concurrency: ofTheFarm('5 %', 'Miners that are woken, or get another power mode, at the same time.'),
      dailyCap: whole(
        1,
        1_000,
        24,
        'Changes of one miner in 24 hours, over all who ask: sleep and wake wear its boards out.',
      ),
    })
    .prefault({}),
  pools: z.strictObject({ concurrency: ofTheFarm('5 %', AT_ONCE) }).prefault({}),
  firmware: z
    .strictObject({
      concurrency: concurrency(2),
      uploadS: whole(10, 7_200, 1_800, 'Seconds for sending one image to a miner.'),
    })
    .prefault({}),
  password: z.strictObject({ concurrency: ofTheFarm('5 %', AT_ONCE) }).prefault({}),
  log: kind(5),
  poolLock: poolLockSettingsSchema,
  powerGate: z
    .strictObject({
      kw: numberOrShare(z.number().min(0.1).max(1_000_000), 'number, 0.1 to 1000000')
        .prefault('5 %')
        .describe(
          'Power that may start into full load within `windowS`, kW: reboots, wakes, firmware, over all who ask. A share is of the power that the miners of this agent draw at full load, at least 90.',
        ),
      windowS: decimal(0.1, 3_600, 30, 'Window of `kw`, seconds.'),
      inrush: decimal(1, 10, 1.25, 'What a miner that starts counts for: its power at full load times this.'),
    })
    .prefault({}),
  maxQueued: whole(1, 100_000, 10_000, 'Tasks that wait or run. The agent refuses more.'),
  actS: decimal(0.1, 900, 60, 'Seconds for one command to a miner, connection and answer included.'),
  observeS: decimal(0.1, 300, 20, 'Seconds for one look at a miner.'),
});

export type TaskSettings = z.output<typeof taskSettingsSchema>;

export type AllowSettings = Pick<TaskSettings, 'control' | 'allow'>;

/** Why tasks of this name are refused here, with the setting to change; undefined when they are not. */
export function notAllowed(name: string, { control, allow }: AllowSettings): string | undefined {
  const kind = taskKindOf(name);
  if (kind === undefined) return undefined;
  if (kind.allow !== null && !allow[kind.allow])
    return `not allowed here: tasks.allow.${kind.allow} is false in the configuration of this agent`;
  if (control || kind.effect === 'read-only') return undefined;
  return 'not allowed here: tasks.control is false in the configuration of this agent, so it only reads';
}

/** For what is done without the task queue. Throws RefusedError that says what is refused, and why. */
export function mustBeAllowed(name: string, what: string, settings: AllowSettings): void {
  const reason = notAllowed(name, settings);
  if (reason !== undefined) throw new RefusedError('tasks.not-allowed', `${what}: ${reason}`);
}

const OFF_BY_DEFAULT: ReadonlySet<string> = new Set(
  Object.values(TASK_KINDS).flatMap(({ allow, isAllowed }) => (allow === null || isAllowed ? [] : allow)),
);

/** The switches that a person has put off, as they are written in the configuration. */
export function switchedOff({ control, allow }: AllowSettings): readonly string[] {
  const kinds = Object.entries(allow).filter(([kind, isAllowed]) => !isAllowed && !OFF_BY_DEFAULT.has(kind));
  return [...(control ? [] : ['tasks.control']), ...kinds.map(([kind]) => `tasks.allow.${kind}`)];
}

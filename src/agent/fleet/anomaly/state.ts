// The state of one miner between two samples: plain JSON, so that a restart continues where it stopped. Times `…T` are
// ms of observed time, which grows by at most `maxGap` per sample: no clock step and no stopped agent ages a condition.
import { z } from 'zod';
import { flagSchema } from '../../../model/flags/flags.ts';

const t = z.number().min(0);
const figure = z.union([z.number(), z.string()]).nullable();

/** The mildest first. */
export const SEVERITIES = ['info', 'minor', 'major', 'critical'] as const;

const violationSchema = z.strictObject({
  value: figure,
  limit: figure,
  source: z.string(),
  severity: z.enum(SEVERITIES),
  message: z.string(),
  /** Key of a cause that other miners may share: see model/findings. */
  finding: z.string().exactOptional(),
});
/** What a rule found wrong: what was compared, where it was read, how bad it is. */
export type Violation = z.infer<typeof violationSchema>;

const conditionSchema = z.strictObject({
  isRaised: z.boolean(),
  /** First bad sample in a row: wall time in ms, and observed time. */
  badAtMs: z.number(),
  badT: t,
  badPolls: z.int().min(1),
  goodT: t.optional(),
  goodPolls: z.int().min(0),
  /** Newest sample that had the data to judge. */
  judgedT: t,
  violation: violationSchema,
});
export type Condition = z.infer<typeof conditionSchema>;

const learnedSchema = z.strictObject({
  best: z.number().optional(),
  bestT: t.optional(),
  /** Lowest value of the window that is open. */
  low: z.number(),
  fromT: t,
  samples: z.int().min(1),
});
export type Learned = z.infer<typeof learnedSchema>;

const counterWindowSchema = z.strictObject({
  fromT: t,
  good: z.number(),
  bad: z.number(),
  shares: z.number(),
  /** Share of bad ones in the last full window, in percent. */
  percent: z.number().optional(),
});
export type CounterWindow = z.infer<typeof counterWindowSchema>;

const idleSchema = z.enum(['rebooting', 'maintenance', 'sleep', 'heat', 'warm-up']);
/** Why a miner is not judged as a working one. */
export type Idle = z.infer<typeof idleSchema>;

const learnable = ['hashrateHs', 'powerW', 'boards', 'chips', 'fans'] as const;
export type Learnable = (typeof learnable)[number];

const historySchema = z.strictObject({
  t,
  idle: idleSchema.optional(),
  uptimeS: z.number().optional(),
  systemUptimeS: z.number().optional(),
  /** Since when the process, or the system, of this uptime has been watched. */
  startedT: t.optional(),
  /** Real time since the newest reading, as far as visits failed since; 0 = the newest one did not. */
  silentMs: t,
  /** Since when it has answered without a break. */
  onlineT: t.optional(),
  /**
   * End of the newest sleep, maintenance, long silence, lack of a pool, or change of mode: older averages do not count.
   */
  activeT: t.optional(),
  /** The same without changes of only the power limit: since then its hashrate may be ramping up. */
  anewT: t.optional(),
  restartsT: z.array(t).max(16),
  addressChangesT: z.array(t).max(128),
  /** When it stopped answering, for a poll or for long. */
  lossesT: z.array(t).max(128),
  /** Whether it mines, as last proven, and when; `is` absent = never proven since `knownT`. */
  mining: z.strictObject({ is: z.boolean().optional(), knownT: t }).optional(),
  shares: z.strictObject({ accepted: z.number(), changedT: t }).optional(),
  still: z.strictObject({ hashrateHs: z.number(), polls: z.int(), fromT: t }).optional(),
  /** `zeroT`: since when every rate was 0. */
  average: z.strictObject({ hashrateHs: z.number(), fromT: t, atT: t, zeroT: t.optional() }).optional(),
  rejects: counterWindowSchema.optional(),
  hwErrors: counterWindowSchema.optional(),
  /** Model, and mode with its settings: what was learned under others does not count. */
  model: z.string().optional(),
  mode: z
    .strictObject({ name: z.string().optional(), preset: z.string().optional(), powerLimitW: z.number().optional() })
    .optional(),
  /** The highest power limit that was seen, and the rate that was expected under it. */
  top: z.strictObject({ limitW: z.number(), hashrateHs: z.number() }).optional(),
  /** Where the device's own build differs from the table of models, as it was last reported. */
  contradicted: z.string().optional(),
  learned: z.partialRecord(z.enum(learnable), learnedSchema),
});
export type History = z.infer<typeof historySchema>;

export const judgementSchema = z.strictObject({
  v: z.literal(1),
  /** Wall time of the newest sample, ms since the epoch. */
  atMs: z.number(),
  flags: z.array(flagSchema),
  /** By rule id; absent = nothing pending, nothing raised. */
  conditions: z.record(z.string(), conditionSchema),
  history: historySchema,
});
/** Everything known of one miner's anomalies after a sample. Store it as JSON; read it back with `judgementSchema`. */
export type MinerJudgement = z.infer<typeof judgementSchema>;

export const EMPTY_HISTORY: History = {
  t: 0,
  silentMs: 0,
  restartsT: [],
  addressChangesT: [],
  lossesT: [],
  learned: {},
};

/** The judgement after `ms` more of samples like its last one. */
export const passed = (judgement: MinerJudgement, ms: number): MinerJudgement => ({
  ...judgement,
  atMs: judgement.atMs + ms,
  history: { ...judgement.history, t: judgement.history.t + ms },
});

/** More repeats of a value are not counted. */
const MANY_REPEATS = 16;

/**
 * The part of a judgement that must survive a kill: two judgements with the same standing lead to the same flags, even
 * if the samples between them are lost. It changes rarely, except while conditions are pending or clearing.
 */
export function standingOf({ conditions, history }: MinerJudgement): string {
  const { t, idle = '', restartsT, addressChangesT, lossesT, shares, still, contradicted = '' } = history;
  const moving = Object.entries(conditions).map(
    ([id, { isRaised, badPolls, goodPolls }]) => `${id} ${isRaised ? 'raised' : badPolls} ${goodPolls}`,
  );
  const standsStill = shares !== undefined && shares.changedT < t;
  const repeats = Math.min(still?.polls ?? 0, MANY_REPEATS);
  return [
    idle,
    contradicted,
    restartsT.length,
    addressChangesT.length,
    lossesT.length,
    standsStill,
    repeats,
    ...moving,
  ].join();
}

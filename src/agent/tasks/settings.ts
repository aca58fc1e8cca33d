// What an operator may set about tasks, with defaults that suit a farm of ordinary control boards. Seconds, because that is how windows are told.
import { z } from 'zod';

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
      /** Miners that may be away because of us at the same time. */
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
  poolLock: z
    .strictObject({
      /** Attempts in a row to set locked pools again; then it is given up, with a flag. */
      tries: z.int().min(1).max(100).default(3),
      /** Updates of one miner's pools in 24 hours, whoever asked, after which the lock rests. */
      dailyCap: z.int().min(1).max(1_000).default(6),
      /** Until the next attempt after one that failed; doubles with each. */
      retryS: z.number().min(1).max(3_600).default(60),
    })
    .prefault({}),
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

// The state of a running agent, as its control socket reports it: the largest of the messages. Schema and type only.
import { z } from 'zod';
import { scanAccountSchema } from '../../model/contact.ts';

const nullableText = z.string().nullable();
const count = z.int().min(0);

const progressSchema = z.object({
  probed: count,
  to_probe: count,
  identified: count,
  elapsed_ms: z.number(),
  remaining_ms: z.number().nullable(),
});

export const statusSchema = z.object({
  version: z.string(),
  pid: z.int(),
  name: nullableText,
  state_dir: z.string(),
  uptime_s: count,
  /** In sentences; empty = all is well with the agent. What is wrong with single miners is not its trouble. */
  troubles: z.array(z.string()),
  networks: z.object({ ranges: count, addresses: count }),
  uplinks: z.array(
    z.object({
      name: z.string(),
      url: z.string(),
      phase: z.string(),
      connected_since: nullableText,
      last_error: nullableText,
      /** Slices that the service has not confirmed; null when it is not known. */
      backlog: count.nullable(),
      skew_ms: z.number().nullable(),
    }),
  ),
  outbox: z.object({
    slices: count,
    bytes: count,
    pending_records: count,
    dropped_records: count,
    is_full: z.boolean(),
    last_commit_at: nullableText,
    fault: nullableText,
  }),
  /**
   * What many miners suffer from together, the largest first; their flags carry the key. `addresses` = of some of them.
   */
  findings: z
    .array(
      z.object({
        key: z.string(),
        kind: z.string(),
        title: z.string(),
        severity: z.string(),
        since: z.string(),
        miner_count: count,
        of: count,
        addresses: z.array(z.string()),
      }),
    )
    .default([]),
  /** `total` = answering + silent + unread; `hashing` of those that answer. */
  miners: z.object({
    total: count,
    answering: count,
    silent: count,
    /** Not polled yet since the start. */
    unread: count,
    hashing: count,
    rebooting: count,
    /** How many have each flag; flags of no miner are left out. */
    flags: z.record(z.string(), count),
  }),
  polls: z.object({ in_flight: count, ok: count, failed: count, worst_late_ms: z.number() }),
  /**
   * Miners that are polled more and more rarely: `costly` = to read them takes too much of the processor, `defect` = a
   * visit breaks. `cost_ms` = of the newest poll; null where the processor is not the reason.
   */
  set_aside: z
    .array(
      z.object({
        key: z.string(),
        ip: z.string(),
        reason: z.enum(['costly', 'defect']),
        in_a_row: count,
        cost_ms: z.number().nullable(),
        next_poll_at: z.string(),
      }),
    )
    .default([]),
  /** Drivers that are files of this host. `allowed` = the commands that the configuration lets them send. */
  drivers: z
    .object({
      folder: nullableText,
      loaded: z.array(z.object({ id: z.string(), origin: z.string(), allowed: z.array(z.string()) })),
      refused: z.array(z.object({ id: z.string(), origin: z.string(), reason: z.string() })),
      /**
       * They broke. Their miners wait until the next try; null = they break at each try, and their answers are lost.
       */
      waiting: z.array(z.object({ id: z.string(), origin: z.string(), reason: z.string(), next_try_at: nullableText })),
    })
    .default({ folder: null, loaded: [], refused: [], waiting: [] }),
  scans: z.object({
    running: z.array(
      z.object({ id: z.string(), kind: z.enum(['manual', 'scheduled']), progress: progressSchema.nullable() }),
    ),
    waiting: count,
    last: z
      .object({
        id: z.string(),
        kind: z.enum(['manual', 'scheduled']),
        started_at: z.string(),
        account: scanAccountSchema.nullable(),
      })
      .nullable(),
  }),
  tasks: z.object({ waiting: count, running: count }),
  /** Devices that wait for a person before they get their login; why the record of that cannot be used. */
  trust: z.object({ waiting: count, fault: nullableText }).default({ waiting: 0, fault: null }),
  /** How often and by how much its wall clock was set within the last hour, oldest first; `step_ms` < 0 = back. */
  clock_steps: z.array(z.object({ at: z.string(), step_ms: z.int(), steps: count })),
  /**
   * Devices that show the facts of another miner, or change who they are: nothing that changes them is sent to them.
   */
  suspects: z.array(
    z.object({
      ip: z.string(),
      since: z.string(),
      reason: z.enum(['claims', 'changes']),
      /** `is_rejected` = a person said that it is not that miner, which is free of it since. */
      claims: z
        .object({
          key: z.string(),
          ip: z.string(),
          facts: z.array(z.string()),
          is_rejected: z.boolean().default(false),
        })
        .nullable(),
    }),
  ),
  last_standstill: z.object({ reason: z.string(), at: z.string() }).nullable(),
  /** The service in the same process; absent where there is none. */
  service: z
    .object({
      /** Why it can store nothing. */
      fault: nullableText,
      /** Of its database; null where it makes none. `failure` = why the newest try made none. */
      backup: z.object({ dir: z.string(), newest_at: nullableText, failure: nullableText }).nullable(),
    })
    .exactOptional(),
});
export type AgentStatus = z.infer<typeof statusSchema>;

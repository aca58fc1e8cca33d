// The host of an agent and the agent itself, as the interface document describes them ("Agent").
import { z } from 'zod';
import { farmReferenceSchema } from './miner.ts';

/** Memory in bytes, `uptime` in seconds, `timestamp` in epoch seconds. */
export const hostSchema = z.strictObject({
  platform: z.string(),
  os: z.string(),
  cpu_count: z.number(),
  uptime: z.number(),
  timestamp: z.number(),
  load_average: z.tuple([z.number(), z.number(), z.number()]),
  memory: z.strictObject({
    total: z.number(),
    free: z.number(),
    used: z.number(),
    swap_total: z.number(),
    swap_free: z.number(),
    swap_used: z.number(),
  }),
  ip: z.string(),
  hostname: z.string(),
});
export type Host = z.infer<typeof hostSchema>;

export const AGENT_STATUSES = ['online', 'offline'] as const;

/** The agent as v1 serves it; `uptime` in seconds. */
export const agentV1Schema = z.strictObject({
  id: z.uuid(),
  farm_id: z.uuid(),
  farm: farmReferenceSchema,
  workspace_id: z.string(),
  status: z.enum(AGENT_STATUSES),
  last_updated_at: z.iso.datetime(),
  last_online_at: z.iso.datetime(),
  version: z.string(),
  uptime: z.number(),
  host: hostSchema,
});
export type AgentV1 = z.infer<typeof agentV1Schema>;

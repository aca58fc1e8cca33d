// The tables of the agent's database, as src/agent/modules.ts has them: without the drivers that it loads, which take a
// child longer to read than its work.
import { averagesMigrations } from '../../src/agent/fleet/averages/store.ts';
import { identityMigrations } from '../../src/agent/fleet/identity/storage/store.ts';
import { opsStatusMigrations } from '../../src/agent/fleet/ops-status.ts';
import { outageMigrations } from '../../src/agent/fleet/outages/outage-store.ts';
import { poolLockMigrations } from '../../src/agent/pool-lock/desired-pools.ts';
import { auditMigrations } from '../../src/agent/state/audit-trail.ts';
import { instanceIdMigrations } from '../../src/agent/state/instance-id.ts';
import { clockMigrations } from '../../src/agent/state/lasting-clock.ts';
import { minerStateMigrations } from '../../src/agent/state/miner-state-store.ts';
import { tasksMigrations } from '../../src/agent/tasks/queue/journal.ts';
import { messageGuardMigrations } from '../../src/agent/uplink/signatures/message-guard.ts';

export const AGENT_MIGRATIONS = [
  identityMigrations,
  averagesMigrations,
  minerStateMigrations,
  instanceIdMigrations,
  clockMigrations,
  tasksMigrations,
  opsStatusMigrations,
  outageMigrations,
  poolLockMigrations,
  messageGuardMigrations,
  auditMigrations,
] as const;

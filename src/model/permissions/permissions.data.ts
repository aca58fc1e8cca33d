// What a key, a grant or a role can allow, one row each, the first role that has it, and the permissions that it
// includes. Data only. Which operation
// needs which permission is in the table of routes; which task, in the table of kinds of tasks.
import type { TaskPermission } from '../tasks/task-kinds.data.ts';

/** Each role has everything of the roles before it. */
export const ROLES = ['viewer', 'technician', 'operator', 'manager', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export type PermissionRow = { readonly from: Role; readonly allows: string; readonly includes?: readonly string[] };

// biome-ignore format: a table
export const PERMISSION_ROWS = {
  'farms.read':         { from: 'viewer',     allows: 'list the farms of a workspace' },
  'miners.read':        { from: 'viewer',     allows: 'list and search miners, and export their positions' },
  'miners.update':      { from: 'technician', allows: 'set ops status and location of miners, racks and containers, write notes, take lines of the worklist' },
  'agents.read':        { from: 'viewer',     allows: 'list and search agents' },
  'tasks.read':         { from: 'viewer',     allows: 'list and search task batches and their tasks' },
  'tasks.cancel':       { from: 'operator',   allows: 'cancel a task batch, of any task' },
  'tasks.reboot':       { from: 'technician', allows: 'reboot miners' },
  'tasks.light':        { from: 'technician', allows: 'switch the lights of miners' },
  'tasks.log':          { from: 'technician', allows: 'fetch the logs of miners' },
  'tasks.refresh':      { from: 'technician', allows: 'read miners at once, without waiting for their next poll' },
  'tasks.power_mode':   { from: 'operator',   allows: 'let miners sleep, wake them, set their power' },
  'tasks.pools_saved':  { from: 'operator',   allows: 'read saved sets of pools, and give them to miners' },
  'tasks.pools':        { from: 'manager',    allows: 'set and lock the pools of miners, whatever they are, and save sets of pools; includes `tasks.pools_saved`', includes: ['tasks.pools_saved'] },
  'tasks.password':     { from: 'manager',    allows: 'change the passwords that miners are logged in to with' },
  'tasks.firmware':     { from: 'manager',    allows: 'write firmware to miners' },
  'tasks.scan':         { from: 'technician', allows: 'scan the networks of agents' },
  'tasks.agent_update': { from: 'admin',      allows: 'update agents' },
  'metrics.read':       { from: 'viewer',     allows: 'query the metrics and the history of a farm; as the operator, read the figures of the service' },
  'events.read':        { from: 'viewer',     allows: 'list the events of a farm' },
  'grants.read':        { from: 'viewer',     allows: 'list the grants to the workspace' },
  'people.update':      { from: 'admin',      allows: 'manage the people of a workspace' },
  'keys.update':        { from: 'admin',      allows: 'manage the keys and the grants of a workspace' },
  'webhooks.update':    { from: 'admin',      allows: 'manage the webhooks of a workspace, which send its events elsewhere' },
  'audit.read':         { from: 'admin',      allows: 'read who did what in a workspace' },
} as const satisfies Readonly<Record<TaskPermission, PermissionRow> & Record<string, PermissionRow>>;

export type Permission = keyof typeof PERMISSION_ROWS;

/** Names that are taken for others: v1 can create nothing but reboots. */
export const PERMISSION_ALIASES = { 'tasks.create': 'tasks.reboot' } as const satisfies Readonly<
  Record<string, Permission>
>;

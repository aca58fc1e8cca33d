// `pithead agent list` and `agent revoke`, beside `pithead agent`, which runs one. Agents join by `pithead enroll`.
import type { Command } from 'commander';
import type { CliContext } from '../terminal.ts';
import { type DatabaseFlags, onDatabase, printList, printRevoked, withAdmin } from './database.ts';

/** `agent` is the command that runs the agent. */
export function addAgentAdmin(agent: Command, context: CliContext): void {
  // The options of the commands below are theirs, also where `agent` has one of the same name.
  agent.enablePositionalOptions();
  onDatabase(
    agent.command('list').description('agents that have joined the service'),
    'pithead agent list',
    'pithead agent list --json',
  ).action(async (flags: DatabaseFlags) => {
    const agents = await withAdmin(flags, context, (admin) => admin.listAgents());
    printList(context, flags, agents, ['id', 'name', 'farm', 'version', 'last online', 'revoked'], (entry) => [
      entry.id,
      entry.name,
      entry.farmId,
      entry.version,
      entry.lastOnlineAt ?? 'never',
      entry.revokedAt,
    ]);
  });
  onDatabase(
    agent
      .command('revoke')
      .description('end the identity of an agent now; its miners and their history stay')
      .argument('<id>', 'its id, as `agent list` shows it'),
    'pithead agent revoke 0198c0de-7a11-7000-8000-000000000000',
  ).action(async (id: string, flags: DatabaseFlags) => {
    printRevoked(context, flags, 'agent', id, await withAdmin(flags, context, (admin) => admin.revokeAgent(id)));
  });
}

// `pithead agent list` and `agent revoke`, beside `pithead agent`, which runs one; and `pithead enroll`, by which agents join.
import type { Command } from 'commander';
import { formatDurationMs } from '../../base/time/duration.ts';
import { readDuration } from '../options.ts';
import type { CliContext } from '../output/terminal.ts';
import { addList, addRevoke, type DatabaseFlags, farmIdOf, onDatabase, print, withAdmin } from './database.ts';

/** `agent` is the command that runs the agent. */
export function addAgentAdmin(agent: Command, context: CliContext): void {
  // The options of the commands below are theirs, also where `agent` has one of the same name.
  agent.enablePositionalOptions();
  addList(agent, context, 'agents that have joined the service', (admin) => admin.listAgents(), {
    id: ({ id }) => id,
    name: ({ name }) => name,
    farm: ({ farmId }) => farmId,
    version: ({ version }) => version,
    'last online': ({ lastOnlineAt }) => lastOnlineAt ?? 'never',
    revoked: ({ revokedAt }) => revokedAt,
  });
  const description = 'end the identity of an agent now; its miners and their history stay';
  addRevoke(agent, context, description, (admin, id) => admin.revokeAgent(id));
}

export function addEnroll(program: Command, context: CliContext): void {
  const description = 'make a one-time code with which one agent joins a farm';
  onDatabase(program, 'enroll', description, 'pithead enroll', 'pithead enroll --valid-for 24h --json')
    .alias('enrol')
    .option('--farm <id>', 'farm (default: the first one)')
    .option('--valid-for <duration>', 'how long the code may be used', '1h')
    .action(async (flags: DatabaseFlags & { farm?: string; validFor: string }) => {
      const ttlMs = readDuration('--valid-for', flags.validFor);
      const { code, expiresAt } = await withAdmin(flags, context, async (admin) =>
        admin.createEnrolmentCode({ farmId: await farmIdOf(admin, flags.farm), ttlMs }),
      );
      const text = `${code}\nOnce, within ${formatDurationMs(ttlMs)}: put it into the agent's configuration as service.enrolmentCode.`;
      print(flags, context, { code, expires_at: expiresAt }, text);
    });
}

// `pithead agent list` and `agent revoke`, beside `pithead agent`, which runs one; `pithead enroll`, with which agents
// join.
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { formatDurationMs } from '../../base/time/duration.ts';
import { DEFAULT_MAX_MINERS, MOST_MAX_MINERS } from '../../model/grant.ts';
import { readDuration, readWhole } from '../options.ts';
import { CommandFailed } from '../output/exit.ts';
import { formatAge, formatTime } from '../output/format.ts';
import type { CliContext } from '../output/terminal.ts';
import {
  addList,
  addRevoke,
  type DatabaseFlags,
  EXAMPLE_ID,
  farmIdOf,
  idHelp,
  onDatabase,
  print,
  withAdmin,
} from './database.ts';

/** `agent` is the command that runs the agent. */
export function addAgentAdmin(agent: Command, context: CliContext): void {
  // The options of the commands below are theirs, also where `agent` has one of the same name.
  agent.enablePositionalOptions();
  addList(agent, context, 'agents that have joined the service', (admin) => admin.listAgents(), {
    id: ({ id }) => id,
    name: ({ name }) => name,
    farm: ({ farmId }) => farmId,
    version: ({ version }) => version,
    enrolled: ({ enrolledAt }) => formatAge(systemClock.nowMs() - Date.parse(enrolledAt)),
    'last online': ({ lastOnlineAt }) => formatTime(lastOnlineAt) ?? 'never connected',
    'most miners': ({ maxMiners }) => maxMiners,
    revoked: ({ revokedAt }) => formatTime(revokedAt),
  });
  const description = 'end the identity of an agent now; its miners and their history stay';
  addRevoke(agent, context, description, (admin, id) => admin.revokeAgent(id));
  addLimit(agent, context);
}

/** `agent limit`: what an agent was granted when it joined is not for ever. */
function addLimit(agent: Command, context: CliContext): void {
  const description = 'change how many miners an agent may have; those that it has stay, more are not stored';
  const call = `pithead agent limit ${EXAMPLE_ID} 25000`;
  onDatabase(agent, 'limit', description, call, `${call} --json`)
    .argument('<id>', idHelp(agent))
    .argument('<miners>', 'a whole number')
    .action(async (id: string, miners: string, flags: DatabaseFlags) => {
      const maxMiners = readWhole('<miners>', miners, 1, MOST_MAX_MINERS);
      if (!(await withAdmin(flags, context, (admin) => admin.limitAgent(id, maxMiners))))
        throw new CommandFailed(`no agent has the id '${id}', or it was revoked`);
      print(flags, context, { id, max_miners: maxMiners }, `${id} may have ${maxMiners} miners.`);
    });
}

export function addEnroll(program: Command, context: CliContext): void {
  const description = 'make a one-time code with which one agent joins a farm';
  onDatabase(program, 'enroll', description, 'pithead enroll', 'pithead enroll --valid-for 24h --json')
    .alias('enrol')
    .option('--farm <id>', 'farm (default: the first one)')
    .option('--valid-for <duration>', 'how long the code may be used', '1h')
    .option('--max-miners <number>', 'how many miners the agent may have', String(DEFAULT_MAX_MINERS))
    .action(async (flags: DatabaseFlags & { farm?: string; validFor: string; maxMiners: string }) => {
      const most = readWhole('--max-miners', flags.maxMiners, 1, MOST_MAX_MINERS);
      const ttlMs = readDuration('--valid-for', flags.validFor);
      const { code, expiresAt, maxMiners } = await withAdmin(flags, context, async (admin) =>
        admin.createEnrolmentCode({ farmId: await farmIdOf(admin, flags.farm), ttlMs, maxMiners: most }),
      );
      const text = `${code}\nOnce, within ${formatDurationMs(ttlMs)}: put it into the agent's configuration as service.enrolmentCode.`;
      print(flags, context, { code, expires_at: expiresAt, max_miners: maxMiners }, text);
    });
}

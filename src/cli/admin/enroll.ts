// `pithead enroll`: a one-time code with which an agent joins.
import type { Command } from 'commander';
import { formatDurationMs } from '../../base/time/duration.ts';
import type { CliContext } from '../terminal.ts';
import { type DatabaseFlags, onDatabase, print, readTtl, withAdmin } from './database.ts';

export function addEnroll(program: Command, context: CliContext): void {
  onDatabase(
    program.command('enroll').alias('enrol').description('make a one-time code with which one agent joins a farm'),
    'pithead enroll',
    'pithead enroll --valid-for 24h --json',
  )
    .option('--farm <id>', 'farm (default: the first one)')
    .option('--valid-for <duration>', 'how long the code may be used', '1h')
    .action(async (flags: DatabaseFlags & { farm?: string; validFor: string }) => {
      const ttlMs = readTtl(flags.validFor, '--valid-for') ?? 0;
      const { code, expiresAt } = await withAdmin(flags, context, async (admin) =>
        admin.createEnrolmentCode({ farmId: flags.farm ?? (await admin.ensureDefaults()).farmId, ttlMs }),
      );
      print(
        context,
        flags,
        { code, expires_at: expiresAt },
        () =>
          `${code}\nOnce, within ${formatDurationMs(ttlMs)}: put it into the agent's configuration as service.enrolmentCode.`,
      );
    });
}

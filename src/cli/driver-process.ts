// What the program calls for the drivers of a folder: the process in which they run, and the question of an update
// whether a new version takes them. No commands for people.
import type { Command } from 'commander';
import * as kit from '../driver/kit/index.ts';
import { serveDrivers } from '../driver/load/child/child.ts';
import { PROCESS_COMMAND } from '../driver/load/process/protocol.ts';
import { CommandFailed } from './output/exit.ts';
import type { CliContext } from './output/terminal.ts';

export function addDriverProcess(program: Command): void {
  const command = program.command(PROCESS_COMMAND, { hidden: true });
  command.addHelpText('after', '\nExamples:\n  $ pithead driver-process').action(() => {
    if (process.send === undefined) throw new CommandFailed('the agent starts this command by itself');
    return serveDrivers(kit);
  });
}

export function addUpdateDrivers(program: Command, { stdout }: CliContext): void {
  program
    .command('update-drivers', { hidden: true })
    .argument('<config>', 'configuration')
    .addHelpText('after', '\nExamples:\n  $ pithead update-drivers /etc/pithead/pithead.yaml')
    .action(async (path: string) => {
      const [{ lookAtFolder }, { driverSettingsIn }] = await Promise.all([
        import('../agent/standalone/folder-drivers.ts'),
        import('../agent/config/config.ts'),
      ]);
      const { refused } = await lookAtFolder(driverSettingsIn(path));
      stdout.write(`${JSON.stringify({ refused })}\n`);
    });
}

// The process in which the drivers of a folder run. The agent starts it; it is no command for people.
import type { Command } from 'commander';
import { serveDrivers } from '../driver/load/child/child.ts';
import { kit } from '../driver/load/child/kit.ts';
import { PROCESS_COMMAND } from '../driver/load/process/protocol.ts';
import { CommandFailed } from './output/exit.ts';

export function addDriverProcess(program: Command): void {
  program.command(PROCESS_COMMAND, { hidden: true }).action(() => {
    if (process.send === undefined) throw new CommandFailed('the agent starts this command by itself');
    return serveDrivers(kit);
  });
}

// Puts the commands together. Wrong usage exits 2 with the usage of the command at hand.
import { Command } from 'commander';
import { VERSION } from '../base/version.ts';
import { addMiner } from './miner.ts';
import { addScan } from './scan.ts';
import type { CliContext } from './terminal.ts';

export function buildProgram(context: CliContext): Command {
  const program = new Command('pithead')
    .description('On-site agent of a mining farm, and the service that it reports to')
    .version(VERSION)
    .showHelpAfterError()
    .configureOutput({ writeOut: (text) => void context.stdout.write(text), writeErr: (text) => void context.stderr.write(text) })
    .exitOverride();
  addScan(program, context);
  addMiner(program, context);
  for (const command of program.commands) command.exitOverride().showHelpAfterError();
  return program;
}

// `pithead log <ip>`: the log that one miner keeps, as text.
import type { Command } from 'commander';
import { logOnce } from '../agent/log-once.ts';
import { singleAddress } from '../agent/once.ts';
import { type AccessFlags, addAccessOptions, readAccessConfig } from './options.ts';
import { throughRunning } from './running.ts';
import type { CliContext } from './terminal.ts';

export function addLog(program: Command, context: CliContext): void {
  const command = program
    .command('log')
    .description('print the log that one miner keeps, passwords hidden')
    .argument('<ip>', 'its address');
  addAccessOptions(command)
    .addHelpText('after', '\nExamples:\n  $ pithead log 10.31.0.17\n  $ pithead log 10.31.0.17 | grep -i error')
    .action(async (ip: string, flags: AccessFlags) => {
      singleAddress(ip);
      const text = await throughRunning(flags, context, {
        ask: (agent) => agent.log(ip, context.signal),
        alone: () => logOnce({ config: readAccessConfig(flags, context.environment), ip }, context.signal),
      });
      context.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    });
}

// `pithead log <ip>`: the log of one miner, straight from the device.
import type { Command } from 'commander';
import { singleAddress } from '../../agent/standalone/reach.ts';
import { logOnce } from '../../agent/standalone/scan.ts';
import type { CliContext } from '../output/terminal.ts';
import { type AccessFlags, addAccessOptions } from './access-options.ts';
import { throughRunning } from './running-agent.ts';

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
        alone: (config) => logOnce({ config, ip }, context.signal),
      });
      context.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    });
}

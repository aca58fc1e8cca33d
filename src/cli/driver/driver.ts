// `pithead driver`: what the author of a driver needs beside an editor.
import type { Command } from 'commander';
import { lookAtFolder } from '../../agent/standalone/folder-drivers.ts';
import type { CliContext } from '../output/terminal.ts';
import { addCheck } from './check.ts';
import { addList } from './list.ts';
import { addNew } from './new.ts';
import { addReplay } from './replay.ts';

const EXAMPLES = `
From a device to a driver: pithead help drivers.

Examples:
  $ pithead driver new my-miner --from <case folder>    a driver for the device that pithead capture recorded
  $ pithead driver check ./my-miner                     what is right with it, and what is not yet
  $ pithead driver list                                 the drivers that an agent here would load`;

export function addDriver(program: Command, context: CliContext): void {
  const driver = program
    .command('driver')
    .description('write a driver for a miner: begin one, check it, replay a device, list what is loaded')
    .addHelpText('after', EXAMPLES);
  addNew(driver, context);
  addCheck(driver, context);
  addReplay(driver, context);
  addList(driver, context, lookAtFolder);
}

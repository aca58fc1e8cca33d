// Puts the commands together. Wrong usage exits 2 with the usage of the command at hand.
import { Command } from 'commander';
import { VERSION } from '../base/version.ts';
import { addAgentAdmin } from './admin/agent.ts';
import { addConfig } from './admin/config.ts';
import { addEnroll } from './admin/enroll.ts';
import { addFarm } from './admin/farm.ts';
import { addGrant } from './admin/grant.ts';
import { addKey } from './admin/key.ts';
import { addPosition } from './admin/position.ts';
import { addSigningKey } from './admin/signing-key.ts';
import { addWorkspace } from './admin/workspace.ts';
import { addCapture } from './capture.ts';
import { addDemo } from './demo.ts';
import { addDoctor } from './doctor.ts';
import { addLog } from './log.ts';
import { addMiner } from './miner.ts';
import { addReboot } from './reboot.ts';
import { addReload } from './reload.ts';
import { addScan } from './scan.ts';
import { addSelftest } from './selftest.ts';
import { addServiceInstall } from './service-install.ts';
import { addSetup } from './setup.ts';
import { addStatus } from './status.ts';
import { addAbort, addTasks } from './tasks.ts';
import type { CliContext } from './terminal.ts';
import { addAgent, addRun, addService, addUp } from './up.ts';
import { addUpdate } from './update.ts';

const EXAMPLES = `
Examples:
  $ pithead scan 10.31.0.0/22     which miners are there
  $ pithead setup                 name the networks, write a configuration, scan once
  $ pithead up                    watch a farm
  $ pithead demo                  try it with simulated miners`;

export function buildProgram(context: CliContext): Command {
  const program = new Command('pithead')
    .description('On-site agent of a mining farm, and the service that it reports to')
    .version(VERSION)
    .showHelpAfterError()
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    })
    .exitOverride();
  addScan(program, context);
  addMiner(program, context);
  addLog(program, context);
  addCapture(program, context);
  addReboot(program, context);
  addStatus(program, context);
  addTasks(program, context);
  addAbort(program, context);
  addReload(program, context);
  addUp(program, context);
  addAgentAdmin(addAgent(program, context), context);
  addService(program, context);
  addRun(program, context);
  addWorkspace(program, context);
  addFarm(program, context);
  addKey(program, context);
  addGrant(program, context);
  addEnroll(program, context);
  addSigningKey(program, context);
  addPosition(program, context);
  addConfig(program, context);
  addDemo(program, context);
  addSelftest(program, context);
  addSetup(program, context);
  addDoctor(program, context);
  addServiceInstall(program, context);
  addUpdate(program, context);
  strict(program.commands);
  return program;
}

/** Sub-commands behave like their parents: they throw instead of ending the process. */
function strict(commands: readonly Command[]): void {
  for (const command of commands) {
    command.exitOverride().showHelpAfterError('(--help shows what is accepted)');
    strict(command.commands);
  }
}

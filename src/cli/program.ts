// Assembles the commands. Wrong usage exits 2 with the usage of the command. A command's modules are loaded when it is
// called, so that an agent does not keep a service, a demo or an installer in memory.
import { Command } from 'commander';
import { VERSION } from '../base/version.ts';
import { PROCESS_COMMAND } from '../driver/load/process/protocol.ts';
import type { CliContext } from './output/terminal.ts';

const EXAMPLES = `
Examples:
  $ pithead scan 10.31.0.0/22     which miners are there
  $ pithead setup                 name the networks, write a configuration, scan once
  $ pithead up                    watch a farm
  $ pithead demo                  try it with simulated miners`;

type Add = (program: Command, context: CliContext) => unknown;

/** First words of the commands that act on miners. */
const VERB_WORDS = 'light refresh reboot sleep wake power pools firmware password log maintenance'.split(' ');

const verb = (word: string) =>
  [[word], async (): Promise<Add> => (await import('./acts/commands.ts')).addVerbs(word)] as const;

/** The words of the commands, and the function that adds them, in the order of the help. */
const COMMANDS: readonly (readonly [words: readonly string[], load: () => Promise<Add>])[] = [
  [['scan'], async () => (await import('./miners/scan/scan.ts')).addScan],
  [['miners'], async () => (await import('./fleet/miners.ts')).addMiners],
  [['miner'], async () => (await import('./fleet/miner.ts')).addMiner],
  [['changes'], async () => (await import('./fleet/changes.ts')).addChanges],
  [['note'], async () => (await import('./fleet/note.ts')).addNote],
  [['capture'], async () => (await import('./miners/capture.ts')).addCapture],
  [['driver'], async () => (await import('./driver/driver.ts')).addDriver],
  ...VERB_WORDS.map((word) => verb(word)),
  [['status'], async () => (await import('./run/status.ts')).addStatus],
  [['tasks'], async () => (await import('./tasks/tasks.ts')).addTasks],
  [['abort'], async () => (await import('./tasks/abort.ts')).addAbort],
  [['reload'], async () => (await import('./run/status.ts')).addReload],
  [['up'], async () => (await import('./run/up.ts')).addUp],
  [['agent'], loadAgent],
  [['service'], async () => (await import('./run/up.ts')).addService],
  [['run'], async () => (await import('./run/up.ts')).addRun],
  [['workspace'], async () => (await import('./admin/tenants.ts')).addWorkspace],
  [['farm'], async () => (await import('./admin/tenants.ts')).addFarm],
  [['people'], async () => (await import('./admin/people.ts')).addPeople],
  [['key'], async () => (await import('./admin/keys.ts')).addKey],
  [['grant'], async () => (await import('./admin/keys.ts')).addGrant],
  [['webhook'], async () => (await import('./admin/webhooks/webhook.ts')).addWebhook],
  [['enroll', 'enrol'], async () => (await import('./admin/agents.ts')).addEnroll],
  [['signing-key'], async () => (await import('./admin/signing-key.ts')).addSigningKey],
  [['trust'], async () => (await import('./admin/trust.ts')).addTrust],
  [['identity'], async () => (await import('./admin/identity.ts')).addIdentity],
  [['position'], async () => (await import('./locations/position.ts')).addPosition],
  [['walk'], async () => (await import('./locations/walk/walk.ts')).addWalk],
  [['rack'], async () => (await import('./locations/rack.ts')).addRack],
  [['container'], async () => (await import('./locations/rack.ts')).addContainer],
  [['audit'], async () => (await import('./admin/audit.ts')).addAudit],
  [['restore'], async () => (await import('./run/restore.ts')).addRestore],
  [['config'], async () => (await import('./admin/config-commands.ts')).addConfig],
  [['demo'], async () => (await import('./demo/demo.ts')).addDemo],
  [['selftest'], async () => (await import('./demo/selftest.ts')).addSelftest],
  [['setup'], async () => (await import('./setup/setup.ts')).addSetup],
  [['doctor'], async () => (await import('./setup/doctor.ts')).addDoctor],
  [['service-install', 'service-remove'], async () => (await import('./setup/service-install.ts')).addServiceInstall],
  [['update', 'update-databases'], async () => (await import('./update/update.ts')).addUpdate],
  // Started by the program itself.
  [[PROCESS_COMMAND], async () => (await import('./driver-process.ts')).addDriverProcess],
  [['update-drivers'], async () => (await import('./driver-process.ts')).addUpdateDrivers],
  // Asked of the program itself.
  [['--version', '-V'], async () => () => {}],
];

async function loadAgent(): Promise<Add> {
  const [{ addAgent }, { addAgentAdmin }] = await Promise.all([import('./run/up.ts'), import('./admin/agents.ts')]);
  return (program, context) => addAgentAdmin(addAgent(program, context), context);
}

/**
 * `word` = the first word of the command line. If it names a command, only that one is loaded; otherwise all, for the
 * help.
 */
export async function buildProgram(context: CliContext, word?: string): Promise<Command> {
  const program = new Command('pithead')
    .description('On-site agent of a mining farm, and the service that it reports to')
    .version(VERSION)
    // Options after a command are its own, also where a command above it has some of the same name.
    .enablePositionalOptions()
    .showHelpAfterError('(pithead --help lists the commands)')
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    })
    .exitOverride();
  const called = COMMANDS.filter(([words]) => words.some((each) => each === word));
  for (const [, load] of called.length > 0 ? called : COMMANDS) (await load())(program, context);
  if (called.length === 0) {
    (await import('./help.ts')).addHelp(program, context);
    (await import('./completion.ts')).addCompletion(program, context);
  }
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

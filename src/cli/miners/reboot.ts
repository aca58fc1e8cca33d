// `pithead reboot`: restarts miners and waits for the proof that they did: uptime gone back, then hashing again. Bounded like every reboot.
import type { Command } from 'commander';
import type { RunRequest } from '../../agent/control/control-client.ts';
import { type RebootStep, rebootOnce } from '../../agent/standalone/reboot.ts';
import { isFinal } from '../../model/task.ts';
import { readWhole } from '../options.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { type AccessFlags, addAccessOptions } from './access-options.ts';
import { throughRunning } from './running-agent.ts';

type Flags = AccessFlags & {
  json?: boolean;
  force?: boolean;
  concurrency?: string;
  canary?: string;
  stopAfter?: string;
};

const HELP = `
Where an agent runs on this host, it does the work, within its limits for the whole farm and beside its other tasks, and miners may be named
by MAC or serial number too; a range means the miners that it knows in it. Ctrl-C gives up what has not been started, and waits for the rest.

Examples:
  $ pithead reboot 10.31.0.17
  $ pithead reboot 10.31.0.17 10.31.0.40-45 --concurrency 2 --json
  $ pithead reboot 02:55:F7:00:00:05`;

export function addReboot(program: Command, context: CliContext): void {
  const command = program
    .command('reboot')
    .description('restart miners, a few at a time, and prove that each came back')
    .argument('<ips...>', 'addresses or ranges; with a running agent also MACs and serial numbers')
    .option('--json', 'one JSON object per line and step')
    .option('--force', 'also miners that were rebooted in the last 10 minutes or that are being updated')
    .option('--concurrency <n>', 'how many may be away at once (default: as configured, 5)')
    .option('--canary <n>', 'so many go first, the others only when these are proven (with a running agent)')
    .option('--stop-after <n>', 'after so many failures no more are begun (with a running agent)');
  addAccessOptions(command)
    .addHelpText('after', HELP)
    .action((ips: string[], flags: Flags) => reboot(ips, flags, context));
}

async function reboot(ips: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const concurrency = readNumber('--concurrency', flags.concurrency);
  const rollout = rolloutOf(flags);
  const force = flags.force === true;
  const printJson: Print = (step) => context.stdout.write(`${JSON.stringify(step)}\n`);
  const print = flags.json ? printJson : linePrinter(context);
  const result = await throughRunning(flags, context, {
    writes: true,
    ask(agent) {
      const request = {
        name: 'miner.system.reboot',
        miners: ips,
        params: { force },
        ...(concurrency !== undefined && { concurrency }),
        ...(rollout !== undefined && { rollout }),
      } as const;
      return agent.run(request, ({ task_id: _, ...step }) => print(step), context.signal);
    },
    alone(config) {
      if (rollout !== undefined) {
        const message = '--canary and --stop-after need an agent that runs on this host and watches these miners';
        throw new CommandFailed(message, EXIT.notRunning);
      }
      context.stderr.write('by this command alone: its limits hold for these miners, and nobody else sees them\n');
      const { tasks } = config;
      const limited = { ...tasks.reboot, ...(concurrency !== undefined && { concurrency }) };
      const options = { config: { ...config, tasks: { ...tasks, reboot: limited } }, ips, force };
      return rebootOnce(options, print, context.signal);
    },
  });
  if (!flags.json) context.stdout.write(`${result.succeeded} of ${result.total} rebooted\n`);
  if (result.succeeded < result.total) throw new CommandFailed('');
}

type Print = (step: RebootStep) => void;

function rolloutOf({ canary, stopAfter }: Flags): RunRequest['rollout'] {
  const [first, most] = [readNumber('--canary', canary), readNumber('--stop-after', stopAfter)];
  if (first === undefined && most === undefined) return undefined;
  return { canary: first ?? 0, ...(most !== undefined && { stop_after: most }) };
}

function linePrinter({ stdout }: CliContext): Print {
  const paint = painter(stdout);
  return ({ ip, status, message }) => {
    const colour = status === 'succeeded' ? 'green' : isFinal(status) ? 'red' : 'reset';
    stdout.write(`${ip.padEnd(15)}  ${paint(colour, status.padEnd(9))}  ${message ?? ''}\n`);
  };
}

const readNumber = (option: string, text: string | undefined): number | undefined =>
  text === undefined ? undefined : readWhole(option, text, 1, 1_000);

// `pithead reboot`: restarts miners and waits for the proof that they did: uptime gone back, then hashing again. Bounded like every reboot.
import type { Command } from 'commander';
import { type RebootStep, rebootOnce } from '../agent/reboot-once.ts';
import { ConfigError } from '../base/errors.ts';
import { CommandFailed } from './exit.ts';
import { type AccessFlags, addAccessOptions, readAccessConfig } from './options.ts';
import { type CliContext, painter } from './terminal.ts';

type Flags = AccessFlags & { json?: boolean; force?: boolean; concurrency?: string };

export function addReboot(program: Command, context: CliContext): void {
  const command = program
    .command('reboot')
    .description('restart miners, a few at a time, and prove that each came back')
    .argument('<ips...>', 'addresses or ranges')
    .option('--json', 'one JSON object per line and step')
    .option('--force', 'also miners that were rebooted in the last 10 minutes or that are being updated')
    .option('--concurrency <n>', 'how many may be away at once (default: as configured, 5)');
  addAccessOptions(command)
    .addHelpText(
      'after',
      '\nExamples:\n  $ pithead reboot 10.31.0.17\n  $ pithead reboot 10.31.0.17 10.31.0.40-45 --concurrency 2 --json',
    )
    .action(async (ips: string[], flags: Flags) => {
      const paint = painter(context.stdout);
      const print = (step: RebootStep) => {
        if (flags.json) context.stdout.write(`${JSON.stringify(step)}\n`);
        else {
          const colour =
            step.status === 'succeeded'
              ? 'green'
              : step.status === 'running' || step.status === 'pending'
                ? 'reset'
                : 'red';
          context.stdout.write(
            `${step.ip.padEnd(15)}  ${paint(colour, step.status.padEnd(9))}  ${step.message ?? ''}\n`,
          );
        }
      };
      const result = await rebootOnce(
        {
          config: withConcurrency(readAccessConfig(flags, context.environment), flags.concurrency),
          ips,
          force: flags.force === true,
        },
        print,
        context.signal,
      );
      if (!flags.json) context.stdout.write(`${result.succeeded} of ${result.total} rebooted\n`);
      if (result.succeeded < result.total) throw new CommandFailed('');
    });
}

function withConcurrency(
  config: ReturnType<typeof readAccessConfig>,
  text: string | undefined,
): ReturnType<typeof readAccessConfig> {
  if (text === undefined) return config;
  const concurrency = Number(text);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 1_000) {
    throw new ConfigError('read the command line', [
      { path: '--concurrency', message: `'${text}' is not a whole number from 1 to 1000` },
    ]);
  }
  return { ...config, tasks: { ...config.tasks, reboot: { ...config.tasks.reboot, concurrency } } };
}

// `pithead reboot`: restarts miners and waits for the proof: uptime gone back, then hashing again. Bounded like every
// reboot.
import { confirm, isCancel } from '@clack/prompts';
import type { Command } from 'commander';
import type { Preview, RunRequest, Step } from '../../agent/control/control-client.ts';
import { rebootOnce } from '../../agent/standalone/reboot.ts';
import { systemClock } from '../../base/clock.ts';
import { formatDurationMs } from '../../base/time/duration.ts';
import { isFinal } from '../../model/task.ts';
import { readWhole } from '../options.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { formatText } from '../output/format.ts';
import { type CliContext, type Progress, painter, withProgress } from '../output/terminal.ts';
import { type AccessFlags, addAccessOptions } from './access-options.ts';
import { throughRunning } from './running-agent.ts';

type Flags = AccessFlags & {
  json?: boolean;
  yes?: boolean;
  dryRun?: boolean;
  force?: boolean;
  concurrency?: string;
  canary?: string;
  stopAfter?: string;
};

const HELP = `
Where an agent runs on this host, it does the work, within its limits for the whole farm and beside its other tasks, and miners may be named
by MAC or serial number too; a range means the miners that it knows in it. More than one miner are counted and shown before anything is sent, and
begun after a yes. Ctrl-C gives up what has not been started, and waits for the rest.

Examples:
  $ pithead reboot 10.31.0.17
  $ pithead reboot 10.31.0.0/24 --dry-run
  $ pithead reboot 10.31.0.17 10.31.0.40-45 --concurrency 2 --yes --json
  $ pithead reboot 10.31.0.0/24 --canary 3 --stop-after 2
  $ pithead reboot 02:55:F7:00:00:05`;

export function addReboot(program: Command, context: CliContext): void {
  const command = program
    .command('reboot')
    .description('restart miners, a few at a time, and prove that each came back')
    .argument('<ips...>', 'addresses or ranges; with a running agent also MACs and serial numbers')
    .option('--json', 'one JSON object per line and step')
    .option('-y, --yes', 'ask nothing; without a terminal it is needed for more than one miner')
    .option('--dry-run', 'show which miners are meant, and send nothing')
    .option('--force', 'also miners that were rebooted in the last 10 minutes or that are being updated')
    .option('--concurrency <n>', 'how many may be away at once (default: as configured)')
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
  const name = 'miner.system.reboot' as const;
  const agree = (preview: Preview) => mustAgree(preview, { ...flags, atOnce: concurrency, rollout }, context);
  const result = await withProgress(context, 'rebooting', (bar) => {
    const print = flags.json ? jsonPrinter(context) : linePrinter(context, bar);
    return throughRunning(flags, context, {
      writes: true,
      async ask(agent) {
        const limits = {
          ...(concurrency !== undefined && { concurrency }),
          ...(rollout !== undefined && { rollout }),
        };
        const preview = await agent.preview({ name, miners: ips, params: { force }, ...limits }, context.signal);
        await agree(preview);
        // Those that were counted, and no others: a miner that appears in the range meanwhile was not agreed to.
        const miners = [...preview.miners.map(({ key }) => key), ...preview.unknown.map(({ name }) => name)];
        const request = { name, miners, params: { force }, ...limits } as const;
        bar.update(0, miners.length, '');
        return agent.run(request, (step) => print(step, miners.length), context.signal);
      },
      alone(config) {
        if (rollout !== undefined) {
          const message = '--canary and --stop-after need an agent that runs on this host and watches these miners';
          throw new CommandFailed(message, EXIT.notRunning);
        }
        context.stderr.write(
          'by this command alone: its limits hold for these miners, and no other program sees them\n',
        );
        const { tasks } = config;
        const limited = { ...tasks.reboot, ...(concurrency !== undefined && { concurrency }) };
        let total = 0;
        const options = {
          ...{ config: { ...config, tasks: { ...tasks, reboot: limited } }, ips, force },
          async agree(preview: Preview) {
            total = preview.miners.length + preview.unknown.length;
            await agree(preview);
          },
        };
        return rebootOnce(options, (step) => print(step, total), context.signal);
      },
    });
  });
  if (!flags.json) context.stdout.write(`${result.succeeded} of ${result.total} rebooted\n`);
  if (result.succeeded < result.total) throw new CommandFailed('');
}

type Terms = Pick<Flags, 'yes' | 'dryRun' | 'json'> & {
  readonly atOnce: number | undefined;
  readonly rollout: RunRequest['rollout'];
};

/**
 * Shows how many miners of which models are selected; more than one need a yes. Throws CommandFailed when nothing is to
 * be sent.
 */
async function mustAgree(preview: Preview, { yes, dryRun, json, ...terms }: Terms, context: CliContext): Promise<void> {
  const { stdout, stderr, signal } = context;
  const count = preview.miners.length;
  if (dryRun) {
    const lines = preview.miners.map(({ ip, model }) =>
      json ? JSON.stringify({ ip, model }) : `${ip}  ${model ?? ''}`.trim(),
    );
    stdout.write(lines.map((line) => `${line}\n`).join(''));
  }
  if (dryRun || count !== 1) stderr.write(`${summary(preview, terms)}\n`);
  for (const { ip, reason } of preview.left_out) stderr.write(`${ip}  left out: ${formatText(reason)}\n`);
  if (count === 0 && preview.unknown.length === 0) throw new CommandFailed('no miner can be rebooted');
  if (dryRun) throw new CommandFailed('nothing was sent (--dry-run)', EXIT.ok);
  if (count <= 1 || yes) return;
  if (!process.stdin.isTTY || !stderr.isTTY)
    throw new CommandFailed(`this reboots ${count} miners: add --yes, or look first with --dry-run`, EXIT.usage);
  const answer = await confirm({
    output: stderr,
    signal,
    message: `Reboot these ${count} miners?`,
    initialValue: false,
  });
  if (isCancel(answer) || !answer) throw new CommandFailed('nothing was rebooted');
}

/** `45 miners: 40 Antminer S19 Pro, 5 Whatsminer M30S; at most 5 are away at a time; …`. */
function summary(
  { miners, unknown, at_once }: Preview,
  { atOnce, rollout }: Omit<Terms, 'yes' | 'dryRun' | 'json'>,
): string {
  const models = Map.groupBy(miners, ({ model }) => model ?? 'of unknown model');
  const byCount = [...models].sort(([, a], [, b]) => b.length - a.length);
  const parts = byCount.map(([model, { length }]) => `${length} ${formatText(model)}`);
  const most = Math.min(atOnce ?? Number.POSITIVE_INFINITY, at_once ?? Number.POSITIVE_INFINITY);
  const canary = Math.min(rollout?.canary ?? 0, miners.length);
  return [
    `${miners.length} miner${miners.length === 1 ? '' : 's'}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`,
    ...(Number.isFinite(most) ? [`at most ${most} are away at a time`] : []),
    ...(canary > 0
      ? [`the first ${canary} go alone, ${miners.length - canary} are held back until they are proven`]
      : []),
    ...(unknown.length > 0 ? [`not known: ${unknown.map(({ name }) => name).join(', ')}`] : []),
  ].join('; ');
}

type Print = (step: Step, total: number) => void;

function rolloutOf({ canary, stopAfter }: Flags): RunRequest['rollout'] {
  const [first, most] = [readNumber('--canary', canary), readNumber('--stop-after', stopAfter)];
  if (first === undefined && most === undefined) return undefined;
  return { canary: first ?? 0, ...(most !== undefined && { stop_after: most }) };
}

const jsonPrinter =
  ({ stdout }: CliContext): Print =>
  ({ task_id: _, ...step }) =>
    void stdout.write(`${JSON.stringify(step)}\n`);

/** A line per step; what waits is counted beside the bar. */
function linePrinter({ stdout, stderr }: CliContext, bar: Progress): Print {
  const paint = painter(stdout);
  const states = new Map<string, Step['status']>();
  const startMs = systemClock.monotonicMs();
  return ({ ip, status, message }, total) => {
    const colour = status === 'succeeded' ? 'green' : isFinal(status) ? 'red' : 'reset';
    if (status !== 'pending' || !stderr.isTTY)
      bar.line(`${ip.padEnd(15)}  ${paint(colour, status.padEnd(9))}  ${message ?? ''}`.trimEnd());
    states.set(ip, status);
    bar.update(countOf(states, isFinal), total, noteOf(states, total, systemClock.monotonicMs() - startMs));
  };
}

const countOf = (states: ReadonlyMap<string, Step['status']>, is: (status: Step['status']) => boolean) =>
  [...states.values()].filter(is).length;

/** The time that is left is told from the pace so far. */
function noteOf(states: ReadonlyMap<string, Step['status']>, total: number, elapsedMs: number): string {
  const over = countOf(states, isFinal);
  const failed = countOf(states, (status) => isFinal(status) && status !== 'succeeded');
  const away = countOf(states, (status) => status === 'running');
  const leftMs = over > 0 && over < total ? (elapsedMs / over) * (total - over) : undefined;
  return [
    `${away} away`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(leftMs === undefined ? [] : [`about ${formatDurationMs(Math.ceil(leftMs / 1_000) * 1_000)} left`]),
  ].join(', ');
}

const readNumber = (option: string, text: string | undefined): number | undefined =>
  text === undefined ? undefined : readWhole(option, text, 1, 1_000);

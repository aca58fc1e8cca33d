// `pithead status` and `pithead reload`: the state of the agent that runs on this host, and reading its configuration
// again.
import type { Command } from 'commander';
import type { AgentStatus } from '../../agent/control/control-client.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/errors.ts';
import { formatDurationMs } from '../../base/time/duration.ts';
import { classesOf } from '../../model/contact.ts';
import { type RunningFlags, seekAgent, troubleOf, withRunning } from '../miners/running-agent.ts';
import { CommandFailed } from '../output/exit.ts';
import { countOf, formatSince, formatTime } from '../output/format.ts';
import { screenWidth } from '../output/table.ts';
import { type CliContext, type Paint, painter } from '../output/terminal.ts';
import { wrapped } from '../output/wrap.ts';
import { CONFIG_FOR_STATE, configOrDefault } from '../setup/config-file.ts';
import { askReadiness, ownUrl } from './local-service.ts';

/** For an answer of a service on this host. */
const READY_MS = 2_000;

const HELP = `
Where only the service runs, the answer is about the service.

Exit codes: 0 it runs and is well, 1 it runs and has trouble, 3 it does not run, 4 it cannot be asked (no rights, no control socket).
What is wrong with single miners is not the agent's trouble: it is what it reports.

Examples:
  $ pithead status
  $ pithead status --json
  $ pithead status --config /etc/pithead/pithead.yaml > /dev/null || echo "look after the agent"`;

export function addStatus(program: Command, context: CliContext): void {
  program
    .command('status')
    .description('how the agent that runs on this host is doing')
    .option(
      '--json',
      'one JSON object: running, state_dir, troubles, uplinks, outbox, miners, scans, tasks, …; of a service alone: service',
    )
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .addHelpText('after', HELP)
    .action((flags: RunningFlags) => run(flags, context));
}

async function run(flags: RunningFlags, context: CliContext): Promise<void> {
  const { stateDir, found } = await seekAgent(flags, context);
  const print = (value: unknown) => context.stdout.write(`${JSON.stringify(value)}\n`);
  if (found.kind === 'none' && (await showService(flags, stateDir, context))) return;
  if (found.kind !== 'running') {
    const { isRunning, text, exitCode } = troubleOf(found.kind, stateDir);
    if (flags.json) print({ running: isRunning, state_dir: stateDir, troubles: [text] });
    throw new CommandFailed(flags.json ? '' : text, exitCode);
  }
  const state = await found.agent.state().finally(() => found.agent.close());
  if (flags.json) print({ running: true, ...state });
  else context.stdout.write(describe(state, painter(context.stdout), screenWidth(context.stdout)));
  if (state.troubles.length > 0) throw new CommandFailed('');
}

/** How the service is doing that runs here without an agent. Gives whether there is one that is well. */
async function showService({ config, json }: RunningFlags, stateDir: string, context: CliContext): Promise<boolean> {
  const url = listenUrl(config, context);
  const readiness = url === undefined ? undefined : await askReadiness(url, READY_MS);
  if (readiness === undefined || ![200, 503].includes(readiness.status)) return false;
  const trouble = readiness.status === 200 ? null : (readiness.why ?? 'it cannot take requests now');
  if (json) {
    const troubles = trouble === null ? [] : [trouble];
    context.stdout.write(
      `${JSON.stringify({ running: false, state_dir: stateDir, troubles, service: { url, ready: trouble === null } })}\n`,
    );
  } else {
    const paint = painter(context.stdout);
    const health =
      trouble === null ? row('health', paint('green', 'takes requests')) : row('TROUBLE', paint('red', trouble));
    context.stdout.write(
      lines([row('service', `${url}, without an agent on this host`), health], screenWidth(context.stdout)),
    );
  }
  if (trouble !== null) throw new CommandFailed('');
  return true;
}

/** Where the service of the configuration is reached; undefined where the configuration cannot be read. */
function listenUrl(config: string | undefined, context: CliContext): string | undefined {
  try {
    return ownUrl(configOrDefault(config, context).listen);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function describe(state: AgentStatus, paint: Paint, width: number | undefined): string {
  const { version, pid, uptime_s, state_dir, troubles, networks, outbox, miners, polls, tasks } = state;
  const rows: [string, string][] = [
    ['agent', `${version}, up ${formatDurationMs(uptime_s * 1_000)}, process ${pid}, state in ${state_dir}`],
    ...(troubles.length === 0
      ? [row('health', paint('green', 'well'))]
      : troubles.map((trouble) => row('TROUBLE', paint('red', trouble)))),
    ...state.findings.map((finding) =>
      row('FINDING', paint(finding.severity === 'critical' ? 'red' : 'yellow', findingOf(finding))),
    ),
    ...state.set_aside.slice(0, MAX_SET_ASIDE_SHOWN).map((aside) => row('SET ASIDE', paint('yellow', asideOf(aside)))),
    ['networks', `${networks.addresses} addresses in ${countOf(networks.ranges, 'range')}`],
    ['miners', `${miners.total}: ${miners.answering} answer, ${miners.hashing} hash${counted(miners)}`],
    ['flags', flagsOf(miners.flags)],
    ...driversOf(state.drivers),
    ['scans', ...scansOf(state.scans)],
    [
      'polls',
      `${polls.ok} answered, ${polls.failed} not, ${polls.in_flight} under way, at most ${polls.worst_late_ms} ms late`,
    ],
    ['tasks', `${tasks.running} run, ${tasks.waiting} wait`],
    ...state.uplinks.map((uplink) => row('service', uplinkOf(uplink))),
    [
      'outbox',
      `${countOf(outbox.slices, 'slice')}, ${(outbox.bytes / 1024 ** 2).toFixed(1)} MiB${lost(outbox.dropped_records)}`,
    ],
    ...(state.service?.backup ? [row('backup', backupOf(state.service.backup))] : []),
    ['standstill', lastStallOf(state.last_standstill)],
  ];
  return lines(rows, width);
}

const ABOUT = 12;
const LEAST_TEXT = 20;

/** What is too long for the screen goes on below its own beginning. */
const lines = (rows: readonly [string, string][], width: number | undefined) =>
  rows
    .map(([about, text]) => {
      const shown = wrapped(text, width && Math.max(LEAST_TEXT, width - ABOUT));
      return `${about.padEnd(ABOUT)}${shown.replaceAll('\n', `\n${' '.repeat(ABOUT)}`)}\n`;
    })
    .join('');

const findingOf = ({ title, since }: AgentStatus['findings'][number]): string =>
  `${title} since ${formatSince(since, systemClock.nowMs())}`;

const MAX_SET_ASIDE_SHOWN = 10;
const WHY_ASIDE = { costly: 'to read it takes too much of the processor', defect: 'a visit of it breaks' } as const;

function asideOf({ ip, reason, in_a_row, cost_ms, next_poll_at }: AgentStatus['set_aside'][number]): string {
  const cost = cost_ms === null ? '' : ` (${formatDurationMs(cost_ms)})`;
  return `${ip}: ${WHY_ASIDE[reason]}${cost}, ${in_a_row} in a row; next poll ${formatTime(next_poll_at)}`;
}

/** Those that are no part of the program. */
const driversOf = ({ loaded }: AgentStatus['drivers']): [string, string][] =>
  loaded.map(({ id, origin, allowed }) =>
    row(
      'driver',
      `${id} of ${origin}, ${allowed.length === 0 ? 'which only reads' : `may send ${allowed.join(', ')}`}`,
    ),
  );

const row = (about: string, text: string): [string, string] => [about, text];

function counted({ silent, unread, rebooting }: AgentStatus['miners']): string {
  const parts = [
    ...(silent > 0 ? [`${silent} silent`] : []),
    ...(unread > 0 ? [`${unread} not asked yet`] : []),
    ...(rebooting > 0 ? [`${rebooting} rebooting`] : []),
  ];
  return parts.map((part) => `, ${part}`).join('');
}

const lost = (records: number) => (records === 0 ? '' : `, ${records} samples given up for want of room`);

const flagsOf = (flags: AgentStatus['miners']['flags']) => {
  const raised = Object.entries(flags).sort(([, a], [, b]) => b - a);
  return raised.length === 0 ? 'none' : raised.map(([type, count]) => `${type} ${count}`).join(', ');
};

function uplinkOf({ url, phase, connected_since, last_error, backlog }: AgentStatus['uplinks'][number]): string {
  const since = connected_since === null ? '' : ` since ${formatTime(connected_since)}`;
  return `${url}: ${phase}${since}, ${waitsText(backlog ?? 0)}${last_error === null ? '' : `; ${last_error}`}`;
}

const waitsText = (slices: number): string =>
  slices === 0 ? 'nothing waits' : `${countOf(slices, 'slice')} ${slices === 1 ? 'waits' : 'wait'}`;

function scansOf({ running, waiting, last }: AgentStatus['scans']): [string] {
  const now = running.map(({ kind, progress }) =>
    progress === null ? `a ${kind} one begins` : `a ${kind} one at ${progress.probed} of ${progress.to_probe}`,
  );
  if (waiting > 0) now.push(`${waiting} wait`);
  if (last === null) return [[...now, 'none has ended yet'].join('; ')];
  const { kind, started_at, account } = last;
  const seen = account && classesOf(account).filter(({ count }) => count > 0);
  const outcome = seen?.map(({ status, count }) => `${count} ${status.replaceAll('_', ' ')}`).join(', ');
  return [[...now, `last: ${kind}, ${formatTime(started_at)}: ${outcome ?? 'broke'}`].join('; ')];
}

const backupOf = ({ dir, newest_at }: NonNullable<NonNullable<AgentStatus['service']>['backup']>) =>
  `${newest_at === null ? 'none yet' : `newest of ${formatTime(newest_at)}`}, in ${dir}`;

const lastStallOf = (last: AgentStatus['last_standstill']) =>
  last === null ? 'none' : `${formatTime(last.at)}: ${last.reason}`;

export function addReload(program: Command, context: CliContext): void {
  program
    .command('reload')
    .description('let the running agent read its configuration anew; a wrong one changes nothing')
    .option('--json', 'one JSON object: changed, needs_restart, drivers')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .addHelpText(
      'after',
      '\nPasswords that systemd hands over come with a restart only.\n\nExamples:\n  $ pithead reload\n  $ pithead reload --json',
    )
    .action(async (flags: RunningFlags) => {
      const reloaded = await withRunning(flags, context, (agent) => agent.reload());
      const { changed, needs_restart, drivers } = reloaded;
      const lines = [
        changed.length === 0 ? 'nothing has changed' : `from now on: ${changed.join(', ')}`,
        ...(needs_restart.length === 0 ? [] : [`after a restart: ${needs_restart.join(', ')}`]),
        ...(drivers.loaded.length === 0 ? [] : [`drivers of the folder: ${drivers.loaded.join(', ')}`]),
        ...drivers.refused.map(({ origin, reason }) => `refused: ${origin}: ${reason}`),
      ];
      context.stdout.write(`${flags.json ? JSON.stringify(reloaded) : lines.join('\n')}\n`);
    });
}

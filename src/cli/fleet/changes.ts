// `pithead changes`: what changed in the farm in the last hours, for who takes over a shift, on a screen, on one page
// of paper or for programs. The service keeps it.
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { answerOf } from '../../wire/api/envelope.ts';
import { changesSchema } from '../../wire/api/farm/memory.ts';
import {
  addConnectionOptions,
  CONNECTION_HELP,
  type ConnectionFlags,
  mustHaveService,
  withConnection,
} from '../connection/connection.ts';
import { readDuration, withUsage } from '../options.ts';
import { screenWidth } from '../output/table.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { changesText } from './changes/changes-text.ts';

type Flags = ConnectionFlags & { since: string; print?: boolean; json?: boolean };

/** Of each kind. What is more is counted. */
const MOST = 2_000;
const PAGE_WIDTH = 80;
/** Of a sheet of paper. */
const PAGE_LINES = 66;

export function addChanges(program: Command, context: CliContext): void {
  const command = program
    .command('changes')
    .description(
      'what changed in the farm: flags, miners, notes, locations, what was done by whom; what is still open from before',
    )
    .option('--since <duration>', 'how far back', '12h')
    .option('--print', `one plain page of ${PAGE_WIDTH} columns, without colours`)
    .option('--json', 'one JSON object per change, times in UTC; the last line is a summary');
  addConnectionOptions(command)
    .addHelpText('after', HELP)
    .action((flags: Flags) => run(flags, context));
}

const HELP = `
${CONNECTION_HELP}
Times are in the time zone of this host. What was open or missing before the span is shown if it still is, the worst first.

Examples:
  $ pithead changes
  $ pithead changes --since 24h --print | lp
  $ pithead changes --since 7d --json`;

async function run(flags: Flags, context: CliContext): Promise<void> {
  const { stdout } = context;
  const spanMs = await withUsage(() => readDuration('--since', flags.since));
  await withConnection(flags, context, async (connection) => {
    const service = mustHaveService(connection, 'what changed');
    const since = new Date(systemClock.nowMs() - spanMs).toISOString();
    const path = `/changes?since=${since}&limit=${MOST}`;
    const { data } = await service.ask(answerOf(changesSchema.loose()), { method: 'GET', path });
    if (flags.json) {
      const { changes, ...summary } = data;
      const lines = [...changes, { summary }].map((line) => `${JSON.stringify(line)}\n`);
      stdout.write(lines.join(''));
      return;
    }
    const farm = service.farm.name ?? service.farm.id;
    const plain = (_: unknown, text: string) => text;
    const page = flags.print
      ? { paint: plain, width: PAGE_WIDTH, lines: PAGE_LINES }
      : { paint: painter(stdout), width: screenWidth(stdout) };
    stdout.write(changesText(data, { farm, ...page }));
  });
}

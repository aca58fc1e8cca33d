// `pithead pools sets|save|forget`: pools under a name, which the service keeps with their passwords. They reach no
// miner before `pools set --set`.
import type { Command } from 'commander';
import { isKept } from '../../../model/pools/requested-pools.ts';
import { answerOf, listOf, MAX_PAGE_SIZE } from '../../../wire/api/envelope.ts';
import { type PoolSetItem, poolSetSchema, removedPoolSetSchema } from '../../../wire/api/farm/pool-sets.ts';
import {
  addConnectionOptions,
  CONNECTION_HELP,
  type ConnectionFlags,
  mustHaveService,
  withConnection,
} from '../../connection/connection.ts';
import type { ServiceClient } from '../../connection/service-client.ts';
import { withUsage } from '../../options.ts';
import { formatText, formatTime } from '../../output/format.ts';
import { type Column, screenWidth, table } from '../../output/table.ts';
import { type CliContext, painter } from '../../output/terminal.ts';
import { POOL_OPTIONS, poolParams, type VerbFlags } from '../verbs/params.ts';

type Flags = ConnectionFlags & { json?: boolean };

const setsAnswer = listOf(poolSetSchema.loose());
const savedAnswer = answerOf(poolSetSchema.loose());
const pathOf = (name: string) => `/pool-sets/${encodeURIComponent(name)}`;

export function addPoolSets(pools: Command, context: CliContext): void {
  const add = (name: string, description: string, example: string) =>
    addConnectionOptions(pools.command(name).description(description))
      .option('--json', 'one JSON object per line and set, times in UTC')
      .addHelpText(
        'after',
        `${CONNECTION_HELP}\nNo password is shown.\n\nExamples:\n  $ pithead pools ${name} ${example}`,
      );
  add('sets', 'show the saved sets of pools', '').action((flags: Flags) =>
    onService(flags, context, async (service) => {
      const { data } = await service.ask(setsAnswer, { method: 'GET', path: `/pool-sets?page_size=${MAX_PAGE_SIZE}` });
      show(data, flags, context);
    }),
  );
  const save = add(
    'save',
    'save pools under a name, in the place of what it stood for',
    "summer --url stratum+tcp://pool.example:3333 --worker 'farm.{rack}-{position}'",
  );
  for (const [flags, description] of POOL_OPTIONS) if (!flags.startsWith('--set ')) save.option(flags, description);
  save.argument('<name>', 'for pools set --set').action(async (name: string, flags: Flags & VerbFlags) => {
    const body = await withUsage(() => poolParams({ word: '', flags }));
    await onService(flags, context, async (service) => {
      const { data } = await service.ask(savedAnswer, { method: 'PUT', path: pathOf(name), body });
      show([data], flags, context);
    });
  });
  add('forget', 'remove a saved set of pools; miners keep theirs', 'summer')
    .argument('<name>', 'as pools sets shows it')
    .action((name: string, flags: Flags) =>
      onService(flags, context, async (service) => {
        const asked = { method: 'DELETE', path: pathOf(name) } as const;
        const { data } = await service.ask(removedPoolSetSchema, asked);
        context.stdout.write(flags.json ? `${JSON.stringify(data)}\n` : `${formatText(name)} is removed\n`);
      }),
    );
}

const onService = (flags: Flags, context: CliContext, work: (service: ServiceClient) => Promise<void>) =>
  withConnection(flags, context, (connection) => work(mustHaveService(connection, 'sets of pools')));

type Shown = Pick<PoolSetItem, 'name' | 'pools' | 'updated_by' | 'updated_at'>;

function show(sets: readonly Shown[], { json }: Flags, { stdout }: CliContext): void {
  const paint = painter(stdout);
  const options = { width: screenWidth(stdout), paintHead: (text: string) => paint('bold', text) };
  if (json) for (const set of sets) stdout.write(`${JSON.stringify(set)}\n`);
  else stdout.write(sets.length === 0 ? 'no saved sets of pools\n' : `${table(COLUMNS, sets, options)}\n`);
}

const partText = (part: NonNullable<Shown['pools']>[number]['url']) => (isKept(part) ? 'keep' : formatText(part));

const COLUMNS: readonly Column<Shown>[] = [
  { title: 'NAME', isWhole: true, text: ({ name }) => formatText(name) },
  { title: 'POOLS', text: ({ pools }) => (pools ?? []).map(({ url }) => partText(url)).join('\n') || 'not readable' },
  { title: 'WORKERS', text: ({ pools }) => (pools ?? []).map(({ user }) => partText(user)).join('\n'), under: 'POOLS' },
  { title: 'SAVED', isWhole: true, text: ({ updated_at: at }) => formatTime(at).slice(0, 16) },
  { title: 'BY', text: ({ updated_by: by }) => formatText(by.name), under: 'SAVED' },
];

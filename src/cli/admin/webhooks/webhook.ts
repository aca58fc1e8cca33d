// `pithead webhook`: where the events of a workspace are sent to. What is printed of a webhook: webhook-text.ts.
import type { Command } from 'commander';
import { ConfigError } from '../../../base/errors.ts';
import { EVENT_TYPE_NAMES } from '../../../model/events/event-types.ts';
import type { WebhookAdmin } from '../../../service/admin-webhooks.ts';
import { readWhole, splitList, wrongOption } from '../../options.ts';
import { CommandFailed } from '../../output/exit.ts';
import type { CliContext } from '../../output/terminal.ts';
import { webhookNetworksOrDefault } from '../../setup/config-file.ts';
import { addCommand, type DatabaseFlags, EXAMPLE_ID, idHelp, onDatabase, print, withAdmin } from '../database.ts';
import { deadLetterTable, describeWebhook, secretLines, testLine, waitingOf, webhookTable } from './webhook-text.ts';

type Flags = DatabaseFlags & { readonly workspace?: string };
type FieldFlags = Flags & {
  readonly url?: string;
  readonly name?: string;
  readonly events?: readonly string[];
  readonly farm?: readonly string[];
};

const ALL = 'all';

const ADD = 'pithead webhook add --url https://example.com/hooks --events flag_raised,agent_offline';
const LIST = 'pithead webhook list';
const CHANGE = `pithead webhook change ${EXAMPLE_ID} --events ${ALL} --farm 0198c0df-…`;
const ROTATE = `pithead webhook rotate ${EXAMPLE_ID} --overlap-hours 48`;
const TEST = `pithead webhook test ${EXAMPLE_ID}`;
const RESEND = `pithead webhook resend ${EXAMPLE_ID}`;

const TYPES_HELP = `
Types of events: ${EVENT_TYPE_NAMES.join(', ')}.
\`pithead help interface\` says when each comes, and how a receiver checks messages.`;

export function addWebhook(program: Command, context: CliContext): void {
  const webhook = addCommand(program, 'webhook', 'where events are sent to', ADD, LIST, CHANGE);
  addList(webhook, context);
  addAdd(webhook, context);
  addShow(webhook, context);
  addChange(webhook, context);
  addSwitches(webhook, context);
  addRotate(webhook, context);
  addTest(webhook, context);
  addDeadLetters(webhook, context);
}

function addList(webhook: Command, context: CliContext): void {
  onDatabase(webhook, 'list', 'webhooks: their state, what waits, their last failure', LIST, `${LIST} --json`)
    .option('--workspace <id>', 'only those of this workspace')
    .action(async (flags: Flags) => {
      const items = await withWebhooks(flags, context, (admin) => admin.list(flags.workspace));
      print(flags, context, items, items.length === 0 ? 'none' : webhookTable(items, context.stdout));
    });
}

function addAdd(webhook: Command, context: CliContext): void {
  const ofFarm = 'pithead webhook add --url https://example.com/hooks --name tickets --farm 0198c0df-… --json';
  onDatabase(webhook, 'add', 'have events sent to a URL; its secret is shown once', ADD, ofFarm)
    .requiredOption('--url <url>', 'where to: https; http only into a network that the configuration allows')
    .option('--name <name>', 'name for people (default: the host of the URL)')
    .option('--events <types...>', 'only events of these types (default: all)')
    .option('--farm <ids...>', 'only events of these farms (default: every one, later ones too)')
    .option('--workspace <id>', 'workspace (default: the first one)')
    .addHelpText('after', TYPES_HELP)
    .action(async (flags: FieldFlags) => {
      const made = await withWebhooks(flags, context, async (admin, defaultWorkspace) =>
        admin.add(flags.workspace ?? (await defaultWorkspace()), fieldsOf(flags)),
      );
      print(flags, context, made, `id      ${made.id}\n${secretLines(made.secret)}`);
    });
}

function addShow(webhook: Command, context: CliContext): void {
  onDatabase(webhook, 'show', 'one webhook with everything that is known of it', `pithead webhook show ${EXAMPLE_ID}`)
    .argument('<id>', idHelp(webhook))
    .action(async (id: string, flags: Flags) => {
      const item = await withWebhooks(flags, context, (admin) => admin.find(id).then(found(id)));
      print(flags, context, item, describeWebhook(item));
    });
}

function addChange(webhook: Command, context: CliContext): void {
  onDatabase(webhook, 'change', 'change what is sent, and where to; what is not given stays', CHANGE)
    .argument('<id>', idHelp(webhook))
    .option('--url <url>', 'where to: https; http only into a network that the configuration allows')
    .option('--name <name>', 'name for people')
    .option('--events <types...>', `only events of these types, or ${ALL}`)
    .option('--farm <ids...>', `only events of these farms, or ${ALL}; one that is added begins with its next event`)
    .addHelpText('after', TYPES_HELP)
    .action(async (id: string, flags: FieldFlags) => {
      if (Object.values(fieldsOf(flags)).every((value) => value === undefined))
        throw wrongOption('options', 'received none, accepted: at least one of --url, --name, --events, --farm');
      const item = await withWebhooks(flags, context, (admin) => admin.change(id, fieldsOf(flags)).then(found(id)));
      print(flags, context, item, describeWebhook(item));
    });
}

function addSwitches(webhook: Command, context: CliContext): void {
  const states = [
    ['pause', 'send nothing for now; what happens meanwhile waits', 'paused'],
    ['resume', 'send again, from where it was paused or disabled', 'active'],
  ] as const;
  for (const [name, description, state] of states)
    onDatabase(webhook, name, description, `pithead webhook ${name} ${EXAMPLE_ID}`)
      .argument('<id>', idHelp(webhook))
      .action(async (id: string, flags: Flags) => {
        const item = await withWebhooks(flags, context, (admin) => admin.change(id, { state }).then(found(id)));
        print(flags, context, item, `${id} is ${state}; ${waitingOf(item)} events wait`);
      });
  onDatabase(webhook, 'remove', 'remove a webhook with its dead letters', `pithead webhook remove ${EXAMPLE_ID}`)
    .argument('<id>', idHelp(webhook))
    .action(async (id: string, flags: Flags) => {
      const isRemoved = await withWebhooks(flags, context, (admin) => admin.remove(id));
      found(id)(isRemoved || undefined);
      print(flags, context, { id, removed: true }, `${id} is removed`);
    });
}

function addRotate(webhook: Command, context: CliContext): void {
  onDatabase(webhook, 'rotate', 'sign with a new secret, which is shown once', ROTATE)
    .argument('<id>', idHelp(webhook))
    .option('--overlap-hours <number>', 'messages are signed with the secret before as well for so long', '24')
    .action(async (id: string, flags: Flags & { readonly overlapHours: string }) => {
      const given = { overlap_hours: readWhole('--overlap-hours', flags.overlapHours, 0, 168) };
      const made = await withWebhooks(flags, context, (admin) => admin.rotate(id, given).then(found(id)));
      print(flags, context, made, secretLines(made.secret));
    });
}

function addTest(webhook: Command, context: CliContext): void {
  onDatabase(webhook, 'test', 'send a test message now, and say what came of it', TEST)
    .argument('<id>', idHelp(webhook))
    .addHelpText('after', '\nExit codes: 0 the receiver took it, 1 it did not, or there is no such webhook.')
    .action(async (id: string, flags: Flags) => {
      const outcome = await withWebhooks(flags, context, (admin) => admin.test(id).then(found(id)));
      print(flags, context, outcome, testLine(outcome));
      if (!outcome.delivered) throw new CommandFailed('');
    });
}

function addDeadLetters(webhook: Command, context: CliContext): void {
  onDatabase(webhook, 'dead', 'events that a webhook was given up for', `pithead webhook dead ${EXAMPLE_ID}`)
    .argument('<id>', idHelp(webhook))
    .action(async (id: string, flags: Flags) => {
      const { items, total } = await withWebhooks(flags, context, (admin) => admin.deadLetters(id).then(found(id)));
      const text = items.length === 0 ? 'none' : deadLetterTable(items, context.stdout);
      print(flags, context, items, total > items.length ? `${text}\nthe newest ${items.length} of ${total}` : text);
    });
  onDatabase(webhook, 'resend', 'send dead letters once more', RESEND)
    .argument('<id>', idHelp(webhook))
    .argument('[events...]', 'ids as `webhook dead` shows them (default: all)')
    .action(async (id: string, events: readonly string[], flags: Flags) => {
      const given = events.length === 0 ? {} : { ids: [...events] };
      const count = await withWebhooks(flags, context, (admin) => admin.resend(id, given).then(found(id)));
      print(flags, context, { resend_count: count }, `${count} dead letters are sent once more`);
    });
}

/** In the words of the interface. */
const fieldsOf = ({ url, name, events, farm }: FieldFlags) => ({
  ...{ url, name, event_types: listOf(events), farm_ids: listOf(farm) },
});

function listOf(texts: readonly string[] | undefined): string[] | null | undefined {
  const items = texts && splitList(texts);
  return items?.length === 1 && items[0] === ALL ? null : items;
}

const OPTIONS: Readonly<Record<string, string>> = {
  ...{ url: '--url', name: '--name', event_types: '--events', farm_ids: '--farm', workspaceId: '--workspace' },
};

/** What is wrong is called by its option. */
function withWebhooks<T>(
  flags: Flags,
  context: CliContext,
  work: (admin: WebhookAdmin, defaultWorkspace: () => Promise<string>) => Promise<T>,
): Promise<T> {
  const networks = webhookNetworksOrDefault(flags.config, context);
  return withAdmin(flags, context, (admin) =>
    work(admin.webhooks(networks), async () => (await admin.ensureDefaults()).workspaceId),
  ).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map(({ path, message }) => {
      const [field = ''] = path.split(/[.[]/);
      return { path: OPTIONS[field] ?? path, message };
    });
    throw new ConfigError(error.message, problems, error);
  });
}

const found =
  (id: string) =>
  <T>(value: T | undefined): T => {
    if (value === undefined)
      throw new CommandFailed(`no webhook has the id '${id}': \`pithead webhook list\` shows them`);
    return value;
  };

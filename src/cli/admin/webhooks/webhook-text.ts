// Webhooks and dead letters for people.
import type { ShownWebhook } from '../../../service/admin-webhooks.ts';
import type { DeadLetterItem, TestItem } from '../../../wire/api/webhooks.ts';
import { formatText, formatTime } from '../../output/format.ts';
import { type Column, screenWidth, table } from '../../output/table.ts';

type Screen = Parameters<typeof screenWidth>[0];

const NOT_SENDING = {
  failing: 'disabled: it failed for seven days',
  gone: 'disabled: the receiver answered 410 Gone',
} as const;

const stateOf = ({ state, disabled_reason: reason }: ShownWebhook): string =>
  state === 'disabled' && reason !== null ? NOT_SENDING[reason] : state;

export const waitingOf = ({ pending_count: count, pending_is_minimum: isMinimum }: ShownWebhook): string =>
  isMinimum ? `${count} or more` : String(count);

const failureOf = ({ last_failure: failure }: ShownWebhook): string | null =>
  failure && `${formatTime(failure.at)}: ${failure.error}`;

const listed = (items: readonly string[] | null): string => items?.join(' ') ?? 'all';

const COLUMNS: readonly Column<ShownWebhook>[] = [
  { title: 'id', text: ({ id }) => id, isWhole: true },
  { title: 'name', text: ({ name }) => name },
  { title: 'url', text: ({ url }) => url, under: 'name' },
  { title: 'state', text: stateOf },
  { title: 'waiting', text: waitingOf, align: 'right' },
  { title: 'failing since', text: (item) => formatTime(item.failing_since) },
  { title: 'last failure', text: failureOf, under: 'failing since' },
];

export const webhookTable = (items: readonly ShownWebhook[], screen: Screen): string =>
  table(COLUMNS, items, { width: screenWidth(screen) });

const NOTHING = 'none';

export function describeWebhook(item: ShownWebhook): string {
  const lines: readonly (readonly [string, string])[] = [
    ['id', item.id],
    ['name', item.name],
    ['url', item.url],
    ['workspace', item.workspace_id],
    ['farms', listed(item.farm_ids)],
    ['events', listed(item.event_types)],
    ['state', stateOf(item)],
    ['waiting', waitingOf(item)],
    ['last success', formatTime(item.last_success_at) ?? NOTHING],
    ['failing since', formatTime(item.failing_since) ?? NOTHING],
    ['last failure', failureOf(item) ?? NOTHING],
    ['next attempt', formatTime(item.next_attempt_at) ?? NOTHING],
    ['secrets', item.secrets.map(secretOf).join('; ')],
  ];
  const width = Math.max(...lines.map(([name]) => name.length)) + 2;
  return lines.map(([name, value]) => name.padEnd(width) + formatText(value)).join('\n');
}

const secretOf = ({ created_at, expires_at }: ShownWebhook['secrets'][number]): string =>
  `of ${formatTime(created_at)}${expires_at === null ? '' : `, until ${formatTime(expires_at)}`}`;

/** The secret and how a receiver checks with it. */
export const secretLines = (secret: string): string =>
  [
    `secret  ${secret}`,
    'It is shown this once. Check the header webhook-signature of each message: with a library of Standard Webhooks, or',
    'HMAC-SHA256 of "<webhook-id>.<webhook-timestamp>.<body>", key and result in base64: see pithead help interface.',
  ].join('\n');

/** What came of a test message. */
export const testLine = ({ delivered, status, error, duration_ms }: TestItem): string =>
  delivered ? `delivered: ${status} after ${duration_ms} ms` : `not delivered after ${duration_ms} ms: ${error}`;

const DEAD_COLUMNS: readonly Column<DeadLetterItem>[] = [
  { title: 'id', text: ({ id }) => id, isWhole: true },
  { title: 'event', text: ({ type }) => type },
  { title: 'happened', text: ({ at }) => formatTime(at) },
  { title: 'given up', text: ({ failed_at }) => formatTime(failed_at), under: 'happened' },
  { title: 'attempts', text: ({ attempts }) => attempts, align: 'right' },
  { title: 'reason', text: ({ reason, is_to_be_sent }) => (is_to_be_sent ? `${reason}; is sent once more` : reason) },
];

export const deadLetterTable = (items: readonly DeadLetterItem[], screen: Screen): string =>
  table(DEAD_COLUMNS, items, { width: screenWidth(screen) });

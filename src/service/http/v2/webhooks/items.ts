// A webhook and a dead letter as the interface and the command line show them.
import type { DeadLetterItem, TestItem, WebhookItem } from '../../../../wire/api/webhooks.ts';
import type { DeadLetter, Pending, Webhook } from '../../../store/store.ts';
import type { Sent } from '../../../webhooks/send.ts';
import { toIso, toIsoOrNull } from '../../shared/envelope.ts';

export function toWebhookItem(webhook: Webhook, pending: Pending, nowMs: number): WebhookItem {
  const { id, name, url, state, lastFailure } = webhook;
  const isLive = ({ expiresAtMs }: Webhook['secrets'][number]) => expiresAtMs === null || expiresAtMs > nowMs;
  return {
    ...{ id, name, url, farm_ids: copyOf(webhook.farmIds), event_types: copyOf(webhook.types) },
    ...{ state, disabled_reason: webhook.disabledReason, pending_count: pending.count },
    pending_is_minimum: pending.isMinimum,
    failing_since: toIsoOrNull(webhook.failingSinceMs),
    last_success_at: toIsoOrNull(webhook.lastSuccessAtMs),
    last_failure: lastFailure && { at: toIso(lastFailure.atMs), status: lastFailure.status, error: lastFailure.error },
    next_attempt_at: state === 'active' ? toIsoOrNull(webhook.nextAttemptAtMs) : null,
    secrets: webhook.secrets.filter(isLive).map(({ createdAtMs, expiresAtMs }) => ({
      created_at: toIso(createdAtMs),
      expires_at: toIsoOrNull(expiresAtMs),
    })),
    created_at: toIso(webhook.createdAtMs),
    updated_at: toIso(webhook.updatedAtMs),
  };
}

const copyOf = (list: readonly string[] | null): string[] | null => list && [...list];

export const toTestItem = ({ status, error, durationMs }: Sent): TestItem => ({
  ...{ delivered: error === null, status, error, duration_ms: durationMs },
});

export const toDeadLetterItem = (letter: DeadLetter): DeadLetterItem => ({
  ...{ id: letter.id, farm_id: letter.farmId, type: letter.type },
  ...{ miner_id: letter.minerId, agent_id: letter.agentId, at: toIso(letter.atMs) },
  ...{ failed_at: toIso(letter.failedAtMs), attempts: letter.attempts, reason: letter.reason },
  is_to_be_sent: letter.isToBeSent,
});

// A webhook as it is stored and as the rest of the service has it. Its secrets stay in the store, but for a new one and
// for what is about to be signed.
import { randomBytes } from 'node:crypto';
import { textList } from '../rows.ts';
import type { Row } from '../schema.ts';

/** `paused` by a person; `disabled` by the service. Neither sends; both keep their place in the feed. */
export type WebhookState = 'active' | 'paused' | 'disabled';
/** It failed for seven days; it answered 410 Gone. */
export type DisabledReason = 'failing' | 'gone';
/** `status` null = there was no answer. */
export type WebhookFailure = { readonly atMs: number; readonly status: number | null; readonly error: string };

/**
 * `farmIds` null = every farm of the workspace, later ones too; `types` null = events of every type. `secrets`: newest
 * first; one that has expired may still be listed. Times in ms.
 */
export type Webhook = Readonly<ReturnType<typeof toWebhook>>;

const STATES: readonly WebhookState[] = ['active', 'paused', 'disabled'];
const REASONS: readonly DisabledReason[] = ['failing', 'gone'];

export function toWebhook(row: Row<'webhooks'>) {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    url: row.url,
    farmIds: row.farm_ids === null ? null : textList(row.farm_ids),
    types: row.types === null ? null : textList(row.types),
    state: STATES.find((state) => state === row.state) ?? 'disabled',
    disabledReason: REASONS.find((reason) => reason === row.disabled_reason) ?? null,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    failingSinceMs: row.failing_since,
    lastSuccessAtMs: row.last_success_at,
    lastFailure: toFailure(row.last_failure),
    nextAttemptAtMs: row.next_attempt_at,
    secrets: [
      { createdAtMs: row.secret_at, expiresAtMs: null },
      ...(row.older_secret_at === null
        ? []
        : [{ createdAtMs: row.older_secret_at, expiresAtMs: row.older_secret_expires_at }]),
    ],
  };
}

/** JSON that we wrote. */
function toFailure(text: string | null): WebhookFailure | null {
  return text === null ? null : JSON.parse(text);
}

/** By the Standard Webhooks convention. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export const toJsonOrNull = (list: readonly string[] | null): string | null =>
  list === null ? null : JSON.stringify(list);

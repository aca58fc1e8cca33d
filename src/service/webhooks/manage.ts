// What people do with the webhooks of a workspace, over the interface and from the command line: each act is checked,
// and in the audit trail. Secrets and whole URLs are not: some receivers have a password in the path of theirs.
import type { Clock } from '../../base/clock.ts';
import { RefusedError } from '../../base/errors.ts';
import type { AuditActor } from '../../model/audit/entry.ts';
import type { ServiceAct, Store, Webhook, WebhookChanges } from '../store/store.ts';

/** Who does it, in which workspace. */
export type Doer = { readonly actor: AuditActor; readonly workspaceId: string };
/** null = all. `name` undefined = the host of the URL. */
export type WebhookRequest = Pick<Webhook, 'url' | 'farmIds' | 'types'> & { readonly name: string | undefined };

export type WebhookManager = ReturnType<typeof createWebhookManager>;

export type ManagerParts = {
  readonly store: Pick<Store, 'audited'>;
  readonly clock: Clock;
  /** Why messages may not go to this URL, as far as it shows; undefined = they may. */
  readonly problemOf: (url: string) => string | undefined;
};

/** Undefined where the workspace has no such webhook. Throws RefusedError for what does not fit. */
export function createWebhookManager({ store, clock, problemOf }: ManagerParts) {
  const acted = <T>(
    { actor, workspaceId }: Doer,
    actOf: (result: T) => Pick<ServiceAct, 'action' | 'subject' | 'detail'>,
    work: (stores: AuditedWebhooks) => Promise<T>,
  ): Promise<T> =>
    store.audited(
      (result) => ({ ...actOf(result), actor, workspaceId, atMs: clock.nowMs() }),
      ({ webhooks }) => work(webhooks),
    );
  const checked = (text: string): string => {
    const url = new URL(text).href;
    const problem = problemOf(url);
    if (problem !== undefined) throw new RefusedError('request.invalid', `Invalid request parameters: url: ${problem}`);
    return url;
  };
  return {
    /** The secret is shown this once. */
    create: (doer: Doer, { url: text, name, farmIds, types }: WebhookRequest) => {
      const url = checked(text);
      const made = { url, name: name ?? new URL(url).hostname, farmIds: unique(farmIds), types: unique(types) };
      return acted(
        doer,
        ({ webhook }: Created) => ({ action: 'webhook.created', ...subjectOf(webhook.id), detail: shown(made) }),
        (webhooks) => webhooks.create({ ...made, workspaceId: doer.workspaceId, nowMs: clock.nowMs() }),
      );
    },
    update: (doer: Doer, id: string, changes: WebhookChanges) => {
      const { url, farmIds, types, ...others } = changes;
      const checkedChanges = {
        ...others,
        ...(url === undefined ? {} : { url: checked(url) }),
        ...(farmIds === undefined ? {} : { farmIds: unique(farmIds) }),
        ...(types === undefined ? {} : { types: unique(types) }),
      };
      return acted(
        doer,
        () => ({ action: 'webhook.changed', ...subjectOf(id), detail: shown(checkedChanges) }),
        (webhooks) => webhooks.update(doer.workspaceId, id, checkedChanges, clock.nowMs()),
      );
    },
    /** False where there is none. */
    remove: (doer: Doer, id: string) =>
      acted(
        doer,
        () => ({ action: 'webhook.removed', ...subjectOf(id) }),
        (webhooks) => webhooks.remove(doer.workspaceId, id),
      ),
    /** The new secret is shown this once; messages are signed with the one before as well, for `overlapMs`. */
    rotate: (doer: Doer, id: string, overlapMs: number) =>
      acted(
        doer,
        () => ({ action: 'webhook.rotated', ...subjectOf(id), detail: { overlap_s: overlapMs / 1_000 } }),
        (webhooks) => webhooks.rotate(doer.workspaceId, id, { overlapMs, nowMs: clock.nowMs() }),
      ),
    /** Dead letters of these ids once more, or all of them; gives how many. */
    resend: (doer: Doer, id: string, ids: readonly string[] | undefined) =>
      acted(
        doer,
        (count: number | undefined) => ({ action: 'webhook.resent', ...subjectOf(id), detail: { count } }),
        (webhooks) => webhooks.resend(doer.workspaceId, id, { ids }),
      ),
  };
}

type AuditedWebhooks = Store['webhooks'];
type Created = Awaited<ReturnType<AuditedWebhooks['create']>>;

const subjectOf = (webhook: string) => ({ subject: { webhook } });

const unique = (list: readonly string[] | null): readonly string[] | null => list && [...new Set(list)];

/** Of the URL only the host. */
function shown({ url, name, farmIds, types, state }: WebhookChanges): Readonly<Record<string, unknown>> {
  return { name, host: url === undefined ? undefined : new URL(url).host, farms: farmIds, event_types: types, state };
}

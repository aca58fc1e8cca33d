// The webhooks of all workspaces for the command line, on the database of a service. They are named, checked and shown
// as in the interface.
import { VERSION } from '../base/version.ts';
import {
  resendSchema,
  rotationSchema,
  type TestItem,
  type WebhookItem,
  webhookCreationSchema,
  webhookEditSchema,
} from '../wire/api/webhooks.ts';
import { problem, type Recorded, requireWorkspace } from './admin-checks.ts';
import { parseGiven } from './http/shared/validation.ts';
import { toDeadLetterItem, toTestItem, toWebhookItem } from './http/v2/webhooks/items.ts';
import type { Webhook } from './store/store.ts';
import { createAddressPolicy } from './webhooks/addresses.ts';
import { sendTest } from './webhooks/delivery.ts';
import { createWebhookManager } from './webhooks/manage.ts';
import { createSender } from './webhooks/send.ts';

export type ShownWebhook = { readonly workspace_id: string } & WebhookItem;
/** Bodies as the interface takes them. */
type Given = Readonly<Record<string, unknown>>;
type Used = { readonly url?: string | undefined; readonly farm_ids?: readonly string[] | null | undefined };
export type WebhookAdmin = ReturnType<typeof administerWebhooks>;

const HOUR_MS = 3_600_000;
const MOST_LISTED = 1_000;

/**
 * `allowedNetworks` as the service has them. Undefined is given where there is no such webhook. Throws ConfigError for
 * what does not fit, also for a URL that leads where no message may go and for a farm of another workspace.
 */
export function administerWebhooks({ store, clock, actor }: Recorded, allowedNetworks: readonly string[]) {
  const { tenants, webhooks } = store;
  const addresses = createAddressPolicy(allowedNetworks);
  const { problemOf } = addresses;
  const manager = createWebhookManager({ store, clock, problemOf });
  const requireUse = async (workspaceId: string, { url, farm_ids: farmIds }: Used) => {
    const why = url === undefined ? undefined : problemOf(new URL(url).href);
    if (why !== undefined) throw problem('url', why);
    const own = (await tenants.listFarms(workspaceId)).map(({ id }) => id);
    const foreign = farmIds?.find((id) => !own.includes(id));
    if (foreign !== undefined) throw problem('farm_ids', `'${foreign}' is no farm of the workspace`);
  };
  const show = async (webhook: Webhook): Promise<ShownWebhook> => ({
    workspace_id: webhook.workspaceId,
    ...toWebhookItem(webhook, await webhooks.pending(webhook), clock.nowMs()),
  });
  const find = async (id: string): Promise<Webhook | undefined> => {
    for (const { id: workspaceId } of await tenants.listWorkspaces()) {
      const webhook = await webhooks.find(workspaceId, id);
      if (webhook !== undefined) return webhook;
    }
    return undefined;
  };
  const doerOf = ({ workspaceId }: Pick<Webhook, 'workspaceId'>) => ({ actor, workspaceId });
  return {
    async list(workspaceId: string | undefined): Promise<readonly ShownWebhook[]> {
      if (workspaceId !== undefined) await requireWorkspace(tenants, workspaceId, 'workspaceId');
      const ids = workspaceId === undefined ? (await tenants.listWorkspaces()).map(({ id }) => id) : [workspaceId];
      const all = await Promise.all(ids.map((id) => webhooks.list(id)));
      return Promise.all(all.flat().map(show));
    },
    async find(id: string): Promise<ShownWebhook | undefined> {
      const webhook = await find(id);
      return webhook && show(webhook);
    },
    async add(workspaceId: string, given: Given) {
      await requireWorkspace(tenants, workspaceId, 'workspaceId');
      const body = parseGiven(webhookCreationSchema, given, 'add a webhook');
      await requireUse(workspaceId, body);
      const { url, name, farm_ids: farmIds = null, event_types: types = null } = body;
      const { webhook, secret } = await manager.create(doerOf({ workspaceId }), { url, name, farmIds, types });
      return { ...(await show(webhook)), secret };
    },
    async change(id: string, given: Given): Promise<ShownWebhook | undefined> {
      const body = parseGiven(webhookEditSchema, given, 'change a webhook');
      const { farm_ids: farmIds, event_types: types, ...others } = body;
      const before = await find(id);
      if (before !== undefined) await requireUse(before.workspaceId, body);
      const webhook = before && (await manager.update(doerOf(before), id, { ...others, farmIds, types }));
      return webhook && show(webhook);
    },
    async remove(id: string): Promise<boolean> {
      const before = await find(id);
      return before !== undefined && manager.remove(doerOf(before), id);
    },
    async rotate(id: string, given: Given) {
      const { overlap_hours: hours } = parseGiven(rotationSchema, given, 'rotate the secret of a webhook');
      const before = await find(id);
      const made = before && (await manager.rotate(doerOf(before), id, hours * HOUR_MS));
      return made && { ...(await show(made.webhook)), secret: made.secret };
    },
    /** One message, now. */
    async test(id: string): Promise<TestItem | undefined> {
      const webhook = await find(id);
      if (webhook === undefined) return undefined;
      const sender = createSender({ addresses, version: VERSION, clock });
      try {
        return toTestItem(await sendTest({ store: store.webhookDelivery, sender, clock }, webhook));
      } finally {
        await sender.close();
      }
    },
    /** The newest. */
    async deadLetters(id: string) {
      const webhook = await find(id);
      if (webhook === undefined) return undefined;
      const window = { limit: MOST_LISTED, offset: 0 };
      const { deadLetters, total } = await webhooks.deadLetters(webhook.workspaceId, id, window);
      return { items: deadLetters.map(toDeadLetterItem), total };
    },
    /** Gives how many are sent once more. */
    async resend(id: string, given: Given): Promise<number | undefined> {
      const { ids } = parseGiven(resendSchema, given, 'send dead letters once more');
      const webhook = await find(id);
      return webhook && manager.resend(doerOf(webhook), id, ids);
    },
  };
}

// Where a webhook is in the feed of each of its farms. A farm that is made after a webhook of all farms has no row and
// begins at 0: the webhook gets all of its events.
import { RefusedError } from '../../../base/errors.ts';
import { chunks } from '../rows.ts';
import type { Db } from '../schema.ts';
import type { Webhook } from './webhook-rows.ts';

type Covering = Pick<Webhook, 'id' | 'workspaceId' | 'farmIds'>;

/** The position that the webhook has in each farm that it covers. */
export async function positionsOf(db: Db, { id, workspaceId, farmIds }: Covering): Promise<Map<string, number>> {
  const rows = await db.selectFrom('webhook_cursors').selectAll().where('webhook_id', '=', id).execute();
  const positions = new Map(rows.map(({ farm_id, position }) => [farm_id, position]));
  const covered = farmIds ?? (await farmsOf(db, workspaceId));
  return new Map(covered.map((farmId) => [farmId, positions.get(farmId) ?? 0]));
}

async function farmsOf(db: Db, workspaceId: string): Promise<string[]> {
  const rows = await db.selectFrom('farms').select('id').where('workspace_id', '=', workspaceId).execute();
  return rows.map(({ id }) => id);
}

/**
 * From now on the webhook covers these farms: in those that it has covered it goes on where it is, in the others it
 * begins with the next event. Throws RefusedError for a farm of another workspace.
 */
export async function coverFarms(transaction: Db, webhook: Covering, before: ReadonlyMap<string, number>) {
  const { id, workspaceId, farmIds } = webhook;
  const all = await farmsOf(transaction, workspaceId);
  const foreign = farmIds?.find((farmId) => !all.includes(farmId));
  if (foreign !== undefined)
    throw new RefusedError('request.not-found', `Resource not found: farm_ids: the workspace has no farm ${foreign}`);
  const covered = farmIds ?? all;
  const heads = new Map<string, number>();
  for (const part of chunks(covered))
    for (const row of await transaction.selectFrom('event_counts').selectAll().where('farm_id', 'in', part).execute())
      heads.set(row.farm_id, row.position);
  await transaction.deleteFrom('webhook_cursors').where('webhook_id', '=', id).execute();
  const rows = covered.map((farmId) => ({
    webhook_id: id,
    farm_id: farmId,
    position: before.get(farmId) ?? heads.get(farmId) ?? 0,
  }));
  for (const part of chunks(rows)) await transaction.insertInto('webhook_cursors').values(part).execute();
}

/** Looking ends there: a list of webhooks that have failed for days would hold up every other request. */
const MOST_LOOKED_AT = 10_000;

/** `isMinimum` = there may be later events that were not looked at. */
export type Pending = { readonly count: number; readonly isMinimum: boolean };

/** How many of the next `MOST_LOOKED_AT` events of its farms the webhook still has to send. */
export async function countPending(db: Db, webhook: Covering & Pick<Webhook, 'types'>): Promise<Pending> {
  const { types } = webhook;
  if (types?.length === 0) return { count: 0, isMinimum: false };
  let count = 0;
  let left = MOST_LOOKED_AT;
  for (const [farmId, position] of await positionsOf(db, webhook)) {
    if (left <= 0) break;
    const next = db
      .selectFrom('events')
      .select('type')
      .where('farm_id', '=', farmId)
      .where('position', '>', position)
      .orderBy('position')
      .limit(left);
    const { looked, wanted } = await db
      .selectFrom(next.as('next'))
      .select((eb) => [
        eb.fn.countAll<number>().as('looked'),
        (types === null ? eb.fn.countAll<number>() : eb.fn.countAll<number>().filterWhere('type', 'in', types)).as(
          'wanted',
        ),
      ])
      .executeTakeFirstOrThrow();
    count += Number(wanted);
    left -= Number(looked);
  }
  return { count, isMinimum: left <= 0 };
}

// One-time codes of people at rest: hashes, what each is for, when it ends. Of a person, and of a workspace without an
// administrator, only the newest code of a purpose counts, so that there are never many to guess at.
import type { Audited } from '../databases.ts';
import type { Db, Row } from '../schema.ts';

/**
 * claim = makes the first administrator of a workspace; reset = sets a new password; pair = begins a session on a phone
 * or a screen.
 */
export const PURPOSES = ['claim', 'reset', 'pair'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** `personId` null = it is for no one yet. */
export type Code = {
  readonly purpose: Purpose;
  readonly workspaceId: string;
  readonly personId: string | null;
  readonly expiresAtMs: number;
};

export function createCodeStore({ read, transact, lock }: Audited) {
  return {
    putCode: ({ hash, purpose, workspaceId, personId, expiresAtMs }: Code & { hash: string }, nowMs: number) =>
      transact(async (trx) => {
        await lock(trx, `people ${workspaceId}`);
        const earlier = trx
          .deleteFrom('person_codes')
          .where('workspace_id', '=', workspaceId)
          .where('purpose', '=', purpose);
        await (personId === null
          ? earlier.where('person_id', 'is', null)
          : earlier.where('person_id', '=', personId)
        ).execute();
        const times = { created_at: nowMs, expires_at: expiresAtMs };
        await trx
          .insertInto('person_codes')
          .values({ hash, purpose, workspace_id: workspaceId, person_id: personId, ...times })
          .execute();
      }),
    /** Undefined = it is unknown, used or expired. */
    async findCode(hash: string, nowMs: number): Promise<Code | undefined> {
      const row = await read
        .selectFrom('person_codes')
        .selectAll()
        .where('hash', '=', hash)
        .where('used_at', 'is', null)
        .where('expires_at', '>', nowMs)
        .executeTakeFirst();
      return row && toCode(row);
    },
    /** Of all who use it at the same time, on any copy, one gets it. `workspaceId` = that of the code. */
    useCode: (hash: string, workspaceId: string, nowMs: number): Promise<Code | undefined> =>
      transact(async (trx) => {
        await lock(trx, `people ${workspaceId}`);
        const row = await trx
          .updateTable('person_codes')
          .set({ used_at: nowMs })
          .where('hash', '=', hash)
          .where('workspace_id', '=', workspaceId)
          .where('used_at', 'is', null)
          .where('expires_at', '>', nowMs)
          .returningAll()
          .executeTakeFirst();
        return row && toCode(row);
      }),
  };
}

export async function removeCodesOf(db: Db, personId: string): Promise<void> {
  await db.deleteFrom('person_codes').where('person_id', '=', personId).execute();
}

const isPurpose = (text: string): text is Purpose => PURPOSES.some((one) => one === text);

/** One of a newer version opens nothing here. */
const toCode = (row: Row<'person_codes'>): Code | undefined =>
  isPurpose(row.purpose)
    ? {
        purpose: row.purpose,
        workspaceId: row.workspace_id,
        personId: row.person_id,
        expiresAtMs: row.expires_at,
      }
    : undefined;

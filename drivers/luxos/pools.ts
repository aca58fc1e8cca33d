// Changes the pools of a LuxOS miner, one command each and no session: first the new ones are added, then the old ones
// go, because the miner needs one at any time. Group quotas stay as they are; new pools join the first group.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { THEY_WERE_SO } from '../../src/driver/kit/act/outcomes.ts';
import type { WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import type { PoolRow } from '../_dialects/cgminer.ts';
import { poolsReply } from '../_dialects/cgminer.ts';
import { DEADLINE_MS } from './session.ts';

const WHAT = 'change the pools of';
const groupOf = z.looseObject({ GROUP: z.int().min(0).max(63) });

/** Removed ids are given anew, so what is to go is looked up again after each step. */
export async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const before = await beforeAct(link, WHAT, () => readPools(link));
  if (areSame(before, wanted)) return THEY_WERE_SO;
  const group = groupOf.safeParse(before[0]).data?.GROUP ?? 0;
  return orLostReply(async () => {
    const added = await orAsBefore(link, before, async () => {
      for (const { url, user, password } of wanted) await send(link, 'addpool', [url, user, password, group].join(','));
      const listed = await readPools(link);
      const [first] = listed.slice(before.length);
      if (first?.POOL === undefined || listed.length < before.length + wanted.length) {
        const cause = new Error('the device does not list the pools that it has just taken');
        throw new PeerError('peer.rejected', `${WHAT} ${link.ip}`, 'later', cause);
      }
      await send(link, 'switchpool', String(first.POOL));
      return listed;
    });
    await removeAll(link, added.slice(0, before.length));
    if (areSame(await readPools(link), wanted)) return { kind: 'accepted' };
    const cause = new Error('the device lists other pools than it was told');
    throw new PeerError('peer.rejected', `${WHAT} ${link.ip}`, 'later', cause);
  });
}

/** What was added goes again when something is refused; the effect of a lost answer is unknown. */
async function orAsBefore<T>(link: MinerLink, before: readonly PoolRow[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PeerError && error.wasSent !== true) await removeAdded(link, before);
    throw error;
  }
}

async function removeAdded(link: MinerLink, before: readonly PoolRow[]): Promise<void> {
  try {
    const now = await readPools(link);
    const areThere = before.every(({ URL, User }, at) => now[at]?.URL === URL && now[at]?.User === User);
    if (areThere) await removeAll(link, now.slice(before.length));
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    throw new PeerError('peer.rejected', `remove what was added to the pools of ${link.ip}`, 'later', error);
  }
}

/** From the end, so that no id that is still to go changes. */
async function removeAll(link: MinerLink, rows: readonly PoolRow[]): Promise<void> {
  for (const { POOL } of rows.toReversed()) if (POOL !== undefined) await send(link, 'removepool', String(POOL));
}

const areSame = (rows: readonly PoolRow[], wanted: readonly WantedPool[]) =>
  rows.length === wanted.length && wanted.every(({ url, user }, at) => rows[at]?.URL === url && rows[at].User === user);

/** A device that refuses `addpool` repeats what it was told, password included: its words go no further. */
async function send(link: MinerLink, command: string, parameter: string): Promise<void> {
  try {
    await link.send({ via: 'cgminer', command, parameter }, { deadlineMs: DEADLINE_MS });
  } catch (error) {
    if (!(error instanceof PeerError) || command !== 'addpool') throw error;
    const { code, retry, wasSent } = error;
    throw new PeerError(code, `add a pool to ${link.ip}`, retry, undefined, { wasSent });
  }
}

async function readPools(link: MinerLink): Promise<PoolRow[]> {
  const answer = await link.send({ via: 'cgminer', command: 'pools' }, { deadlineMs: DEADLINE_MS });
  const rows = poolsReply.safeParse(answer).data?.POOLS;
  if (rows === undefined) throw new PeerError('peer.unparsable', `read the pools of ${link.ip}`, 'later');
  return rows;
}

// Changes the pools of a Goldshell, one request each (atlas 18). New ones come before the old ones go, and what was there is put back when one is refused:
// the machine is never left without a pool.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { list } from '../../src/driver/fields.ts';
import { beforeAct, orLostReply } from '../_families/lost-reply.ts';
import { ACCEPTED, THEY_WERE_SO } from '../_families/outcomes.ts';
import { samePools, type WantedPool } from '../_families/pool-params.ts';
import { put, resource } from './requests.ts';

const WHAT = 'change the pools of';
const setPool = z.looseObject({ url: z.string(), user: z.string(), pass: z.string().optional().catch(undefined) });
type SetPool = z.output<typeof setPool>;

type Named = { readonly url: string; readonly user: string };
const isIn = (pools: readonly Named[]) => (pool: Named) => pools.some((other) => samePools([other], [pool]));

export async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const before = await beforeAct(link, WHAT, () => readPools(link));
  if (samePools(before, wanted)) return THEY_WERE_SO;
  return orLostReply(async () => {
    try {
      await replace(link, before, wanted);
    } catch (error) {
      // Of a lost answer nobody knows what came of it: whoever looks will see.
      if (error instanceof PeerError && error.wasSent !== true) await restore(link, before);
      throw error;
    }
    return ACCEPTED;
  });
}

async function replace(link: MinerLink, before: readonly SetPool[], wanted: readonly WantedPool[]): Promise<void> {
  // Those in their places already stay: two of the same name could not be told apart when one of them is to go.
  const strays = wanted.findIndex((pool, place) => !isIn(before.slice(place, place + 1))(pool));
  const stay = strays < 0 ? wanted.length : strays;
  let old = before.slice(stay);
  for (const [place, { url, user, password }] of wanted.entries()) {
    if (place < stay) continue;
    const pool = { url, user, pass: password };
    for (const twin of old.filter(isIn([pool]))) await remove(link, twin);
    old = old.filter((other) => !isIn([pool])(other));
    try {
      await put(link, 'newpool', pool);
    } catch (error) {
      // A list that is full says no as it does to a pool that it does not like: room for one tells which it was.
      const last = old.at(-1);
      const isLast = place + old.length <= 1;
      if (!(error instanceof PeerError) || error.code !== 'peer.rejected' || last === undefined || isLast) throw error;
      await remove(link, last);
      old = old.slice(0, -1);
      await put(link, 'newpool', pool);
    }
  }
  const listed = await readPools(link);
  if (!wanted.every(isIn(listed))) {
    const cause = new Error('the device does not list the pools that it has just taken');
    throw new PeerError('peer.rejected', `${WHAT} ${link.ip}`, 'later', cause);
  }
  for (const pool of old.toReversed()) await remove(link, pool);
}

/** One goes for each that comes back, so that a full list has room; the last one goes after it. */
async function restore(link: MinerLink, before: readonly SetPool[]): Promise<void> {
  try {
    const now = await readPools(link);
    const strange = now.filter((pool) => !isIn(before)(pool)).toReversed();
    let count = now.length;
    for (const { url, user, pass = '' } of before.filter((pool) => !isIn(now)(pool))) {
      const toGo = count > 1 ? strange.shift() : undefined;
      if (toGo !== undefined) await remove(link, toGo);
      await put(link, 'newpool', { url, user, pass });
      count += toGo === undefined ? 1 : 0;
    }
    for (const pool of strange) await remove(link, pool);
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    throw new PeerError('peer.rejected', `put back the pools of ${link.ip} after it refused a new one`, 'never', error);
  }
}

/** Places move up when one goes: it is named as it stands there now. */
async function remove(link: MinerLink, pool: SetPool): Promise<void> {
  const row = (await readPools(link)).find(isIn([pool]));
  if (row !== undefined) await put(link, 'delpool', row);
}

async function readPools(link: MinerLink): Promise<SetPool[]> {
  const pools = list(setPool, 64).parse(await link.send(resource('pools')));
  if (pools === undefined) throw new PeerError('peer.unparsable', `read the pools of ${link.ip}`, 'later');
  return pools;
}

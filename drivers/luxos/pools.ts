// Changes the pools of a LuxOS miner, one command each and no session: first the new ones are added, then the old ones
// go, because the miner needs one at any time. Group quotas stay as they are; new pools join the first group.
import * as kit from '../../src/driver/kit/index.ts';
import { LIMITS } from './session.ts';

const WHAT = 'change the pools of';

type Pool = { readonly id: number | undefined; readonly url: string; readonly user: string; readonly group: number };

/** Removed ids are given anew, so what is to go is looked up again after each step. */
export async function changePools(link: kit.MinerLink, wanted: readonly kit.WantedPool[]): Promise<kit.ActResult> {
  const before = await kit.beforeAct(link, WHAT, () => readPools(link));
  if (kit.samePools(before, wanted)) return kit.THEY_WERE_SO;
  const group = before[0]?.group ?? 0;
  return kit.orLostReply(async () => {
    const added = await orAsBefore(link, before, async () => {
      for (const { url, user, password } of wanted) await send(link, 'addpool', [url, user, password, group].join(','));
      const listed = await readPools(link);
      const first = listed[before.length]?.id;
      if (first === undefined || listed.length < before.length + wanted.length)
        throw refusal(link, 'the device does not list the pools that it has just taken');
      await send(link, 'switchpool', String(first));
      return listed;
    });
    await removeAll(link, added.slice(0, before.length));
    if (kit.samePools(await readPools(link), wanted)) return kit.ACCEPTED;
    throw refusal(link, 'the device lists other pools than it was told');
  });
}

const refusal = ({ ip }: kit.MinerLink, why: string) =>
  new kit.PeerError('peer.rejected', `${WHAT} ${ip}`, 'later', new Error(why));

/** What was added goes again when something is refused; the effect of a lost answer is unknown. */
async function orAsBefore<T>(link: kit.MinerLink, before: readonly Pool[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof kit.PeerError && error.wasSent !== true) await removeAdded(link, before);
    throw error;
  }
}

async function removeAdded(link: kit.MinerLink, before: readonly Pool[]): Promise<void> {
  try {
    const now = await readPools(link);
    if (kit.samePools(now.slice(0, before.length), before)) await removeAll(link, now.slice(before.length));
  } catch (error) {
    if (!(error instanceof kit.PeerError)) throw error;
    throw new kit.PeerError('peer.rejected', `remove what was added to the pools of ${link.ip}`, 'later', error);
  }
}

/** From the end, so that no id that is still to go changes. */
async function removeAll(link: kit.MinerLink, pools: readonly Pool[]): Promise<void> {
  for (const { id } of pools.toReversed()) if (id !== undefined) await send(link, 'removepool', String(id));
}

/** A device that refuses `addpool` repeats what it was told, password included: its words go no further. */
async function send(link: kit.MinerLink, command: string, parameter: string): Promise<void> {
  try {
    await link.send(kit.tcp(command, parameter), LIMITS);
  } catch (error) {
    if (!(error instanceof kit.PeerError) || command !== 'addpool') throw error;
    const { code, retry, wasSent } = error;
    throw new kit.PeerError(code, `add a pool to ${link.ip}`, retry, undefined, { wasSent });
  }
}

async function readPools(link: kit.MinerLink): Promise<Pool[]> {
  const rows = new kit.Answer(await link.send(kit.tcp('pools'), LIMITS)).rows('POOLS');
  if (rows === undefined) throw new kit.PeerError('peer.unparsable', `read the pools of ${link.ip}`, 'later');
  return rows.map((row) => ({
    id: row.int('POOL', { min: 0, max: 63 }),
    url: row.poolAddress('URL') ?? '',
    user: row.text('User', 512) ?? '',
    group: row.int('GROUP', { min: 0, max: 63 }) ?? 0,
  }));
}

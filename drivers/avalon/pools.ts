// The pools of an Avalon: set one by one with the login in the command, in force after a reboot (atlas 5.3). Each of
// its three places holds a pool; none can be emptied.
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct } from '../../src/driver/kit/act/lost-reply.ts';
import { THEY_WERE_SO, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { filledUp, samePools, type WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import { poolsReply } from '../_dialects/cgminer.ts';
import { ascset, DEADLINE_MS, tell } from './ascset.ts';

export const POOLS = 3;
const WHAT = 'change the pools of';

export async function changePools(link: MinerLink, wanted: readonly WantedPool[], isHome: boolean): Promise<ActResult> {
  const set = await beforeAct(link, WHAT, () => readPools(link));
  const places = filledUp(wanted, POOLS);
  if (set !== undefined && (samePools(set, wanted) || samePools(set, places))) {
    return THEY_WERE_SO;
  }
  for (const [place, pool] of places.entries()) {
    const result = await setPool(link, place, pool, isHome);
    if (result.kind === 'lost-reply') return result;
  }
  return ascset(link, '0,reboot,0', 'reboot, for its pools to count,');
}

function setPool(
  link: MinerLink,
  place: number,
  { url, user, password }: WantedPool,
  isHome: boolean,
): Promise<ActResult> {
  const [command, verb] = isHome ? (['setpool', ''] as const) : (['ascset', '0,setpool,'] as const);
  return tell(
    link,
    {
      via: 'cgminer',
      command,
      carry(login) {
        if (`${login.user}${login.password}`.includes(',')) {
          throw unsupported(link, WHAT, 'its commands have no place for a login with a comma');
        }
        return `${verb}${login.user},${login.password},${place},${url},${user},${password}`;
      },
    },
    WHAT,
  );
}

/** In the order of their use; undefined where the answer has no list. */
async function readPools(link: MinerLink): Promise<{ url: string; user: string }[] | undefined> {
  const answer = await link.send({ via: 'cgminer', command: 'pools' }, { deadlineMs: DEADLINE_MS });
  return poolsReply
    .safeParse(answer)
    .data?.POOLS?.flatMap(({ URL: url, User: user = '' }) => (url ? [{ url, user }] : []));
}

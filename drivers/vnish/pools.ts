// Pools of VNish from its two sources: the web has them all, with the developer's own and sometimes with hidden names;
// TCP has names and difficulties.
import * as kit from '../../src/driver/kit/index.ts';
import { ALIVE } from './words.data.ts';

const isMasked = (text: string | undefined) => text === undefined || /^\*+$/.test(text);
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Without the pools that mine for the developer. */
export function pools(miner: kit.Answer, tcpPools: kit.Answer): kit.PoolDraft[] | undefined {
  const tcpRows = tcpPools.rows('POOLS')?.filter((row) => !/^devfee$/i.test(row.text('URL') ?? ''));
  const onTcp = kit.cgminerPools(new kit.Answer({ POOLS: tcpRows?.map(({ raw }) => raw) }));
  const rows = miner.rows('pools');
  if (rows === undefined) return onTcp;
  const left = [...(onTcp ?? [])];
  return kit.setPools(
    rows.filter((row) => !/^(devfee|refund)$/i.test(row.text('pool_type', 32) ?? '')),
    (row) => row.poolAddress('url'),
    (row, address, index): kit.PoolDraft => {
      // The device writes and wants `host:port`, without a scheme.
      const url = kit.poolUrl(address);
      const user = row.text('user', 512);
      const at = left.findIndex((other) => isSame(other.url, url) && (isMasked(user) || user === other.user));
      const [twin] = at < 0 ? [] : left.splice(at, 1);
      const status = row.text('status', 32)?.toLowerCase();
      return {
        index,
        url,
        user: (isMasked(user) ? twin?.user : user) ?? '',
        isAlive: ALIVE[status ?? ''],
        isActive: status === undefined ? undefined : status === 'active',
        accepted: row.count('accepted'),
        rejected: row.count('rejected'),
        stale: row.count('stale'),
        difficultyAccepted: row.number('diffa', { min: 0, max: 1e30 }) ?? twin?.difficultyAccepted,
        difficultyRejected: twin?.difficultyRejected,
        difficultyStale: twin?.difficultyStale,
        difficulty: kit.positive(row.difficulty('diff')) ?? row.positive('ls_diff', 1e30) ?? twin?.difficulty,
      };
    },
  );
}

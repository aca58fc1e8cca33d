// Pools of VNish from its two sources: the web has them all, with the developer's own and sometimes with hidden names;
// TCP has names and difficulties.
import { first } from '../../src/driver/fields.ts';
import { setPools } from '../../src/driver/kit/pool-rows.ts';
import type { PoolReading } from '../../src/model/reading.ts';
import { type PoolRow, poolReadings, positive, present } from '../_dialects/cgminer.ts';
import type { WebPool } from './replies.ts';

/** The device writes and wants `host:port`, without a scheme. */
const poolUrl = (written: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `stratum+tcp://${written}`;

const isMasked = (text: string | undefined) => text === undefined || /^\*+$/.test(text);

/** Without the pools that mine for the developer. */
export function pools(
  rows: readonly WebPool[] | undefined,
  tcpRows: readonly PoolRow[] | undefined,
): PoolReading[] | undefined {
  if (rows === undefined) return poolReadings(tcpRows?.filter(({ URL }) => !/^devfee$/i.test(URL ?? '')));
  const own = rows.filter(({ pool_type }) => !/^(devfee|refund)$/i.test(pool_type ?? ''));
  const left = [...(poolReadings(tcpRows) ?? [])];
  const set = setPools(
    own,
    ({ url }) => url,
    (row, written) => ({ row, url: poolUrl(written) }),
  );
  return set?.map(({ row, url }, index): PoolReading => {
    const at = left.findIndex(
      (other) => other.url.toLowerCase() === url.toLowerCase() && (isMasked(row.user) || row.user === other.user),
    );
    const [twin] = at < 0 ? [] : left.splice(at, 1);
    const status = row.status?.toLowerCase();
    return present({
      index,
      url,
      user: (isMasked(row.user) ? twin?.user : row.user) ?? '',
      isAlive: aliveness(status),
      isActive: status === undefined ? undefined : status === 'active',
      accepted: row.accepted,
      rejected: row.rejected,
      stale: row.stale,
      difficultyAccepted: first(row.diffa, twin?.difficultyAccepted),
      difficultyRejected: twin?.difficultyRejected,
      difficultyStale: twin?.difficultyStale,
      difficulty: first(positive(row.diff), positive(row.ls_diff), twin?.difficulty),
    });
  });
}

/** `disabled` and `unknown` say neither. */
function aliveness(status: string | undefined): boolean | undefined {
  switch (status) {
    case 'active':
    case 'working':
    case 'rejecting':
      return true;
    case 'offline':
      return false;
    default:
      return undefined;
  }
}

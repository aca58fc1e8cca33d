// What Innosilicon can be told through its web API: reboot, and the three pools. Its light and its modes have no known
// way.
import * as kit from '../../src/driver/kit/index.ts';

export const session = kit.tokenSession({
  name: 'innosilicon',
  path: '/api/auth',
  form: ({ user, password }) => ({ username: user, password }),
  token: (answer) => answer.text('jwt', 8_192),
  // A token that is too old is answered with 200 and a word.
  isEnded: (answer) => answer.bool('success') === false && answer.text('token') === 'expired',
});

/** Everything is posted, reads too. */
export const call = (name: string) => kit.post(`/api/${name}`, session, { json: {} });

const POOLS = 3;

export const abilities = {
  reboot: kit.reboot([30, 240], (link) => kit.command(link, 'restart', call('reboot'), verdict)),
  pools: kit.pools({ offlineS: [0, 60], atMost: POOLS, set: changePools, shownWithinS: 180 }),
};

function verdict(answer: kit.Answer): kit.Verdict {
  const words = answer.text('message') ?? answer.text('msg');
  const isDone = answer.bool('success');
  if (isDone === true) return { ...kit.ACCEPTED, ...(words !== undefined && { note: words }) };
  return isDone === false ? kit.refused(words) : undefined;
}

/** All three places are written, empty ones too. */
async function changePools(link: kit.MinerLink, wanted: readonly kit.WantedPool[]): Promise<kit.ActResult> {
  const what = 'change the pools of';
  const before = await kit.askFirst(link, what, call('pools'), (answer) => answer.rows('pools') !== undefined);
  const userOf = (row: kit.Answer, url: string) => ({ url, user: row.text('user', 512) ?? '' });
  const set = kit.setPools(before.rows('pools'), (row) => row.poolAddress('url'), userOf);
  if (kit.samePools(set, wanted)) return kit.THEY_WERE_SO;
  const form = kit.placesAsFields(wanted, POOLS, (no) => [`Pool${no}`, `UserName${no}`, `Password${no}`]);
  return kit.command(link, what, kit.post('/api/updatePools', session, { form }), verdict);
}

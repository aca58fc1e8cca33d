// What Iceriver can be told through the forms of its own pages: restart, show itself, pools, and its log. Nothing else
// of them is sent: the number beside the restart is the return to factory settings.
import * as kit from '../../src/driver/kit/index.ts';
import { pools } from './read.ts';

export const session = kit.cookieSession({
  name: 'iceriver',
  path: '/user/loginpost',
  // In the body, where the device's own page puts it: an address ends up in logs.
  form: ({ user, password }) => ({ post: '6', user, pwd: password }),
  // Builds that hand out no cookie answer everybody.
  isGranted: (answer) => answer.int('error') === 0,
  isEnded: kit.isPage,
});

/** A page of the device: each takes the number of what is wanted. */
export const page = (name: string, number: string) => kit.post(`/user/${name}?post=${number}`, session);

const POOLS = 3;
/** A change of pools restarts the mining program before it is answered. */
const PATIENT = { deadlineMs: 65_000 };

export const abilities = {
  reboot: kit.reboot([20, 180], (link) => kit.command(link, 'restart', page('userpanel', '3'), verdict)),
  light: kit.light((link, on) =>
    kit.command(link, 'switch the light of', page('userpanel', `5&locate=${on ? 1 : 0}`), verdict),
  ),
  pools: kit.pools({ offlineS: [0, 60], atMost: POOLS, set: changePools, shownWithinS: 120 }),
  log: kit.log(async (link) => kit.textOfPage(await kit.fetchLog(link, page('logconfig', '1'), logText, verdict))),
};

/** Every command is answered with a number, 0 for yes. A page that does not know the command answers without one. */
function verdict(answer: kit.Answer): kit.Verdict {
  const error = answer.int('error');
  if (error === undefined) return { code: 'peer.unsupported' };
  return error === 0 || kit.refused(`${error}: ${answer.text('message') ?? ''}`);
}

const logText = (answer: kit.Answer) => new kit.Answer(answer.at('data').value('text')).body;

/** One form holds the pools and the fans: what it says of the fans goes back as it was read. */
async function changePools(link: kit.MinerLink, wanted: readonly kit.WantedPool[]): Promise<kit.ActResult> {
  const what = 'change the pools of';
  const ratioOf = (answer: kit.Answer) => answer.at('data').count('ratio', 100);
  const before = await kit.askFirst(link, what, page('machineconfig', '1'), (answer) => ratioOf(answer) !== undefined);
  const data = before.at('data');
  if (kit.samePools(pools(data), wanted)) return kit.THEY_WERE_SO;
  const form = {
    post: '2',
    fanratio: String(ratioOf(before)),
    fanmode: (data.count('mode', 16) ?? 1) === 1 ? 'normal' : 'sleep',
    ...kit.placesAsFields(wanted, POOLS, (no) => [`pool${no}address`, `pool${no}miner`, `pool${no}pwd`]),
  };
  return kit.command(link, what, kit.post('/user/machineconfig', session, { form }), verdict, PATIENT);
}

// What Iceriver can be told through the forms of its own pages: restart, show itself, pools, and its log. Nothing else
// of them is sent: the number beside the restart is the return to factory settings.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { int, text } from '../../src/driver/fields.ts';
import { beforeAct, orLostReply } from '../_families/lost-reply.ts';
import { ACCEPTED, THEY_WERE_SO } from '../_families/outcomes.ts';
import { placesAsFields, samePools, type WantedPool } from '../_families/pool-params.ts';
import { light, log, pools, reboot } from '../_families/usual-abilities.ts';
import { poolUrl } from './read.ts';
import { machineReply } from './replies.ts';
import { session } from './session.ts';

const DEADLINE_MS = 10_000;
/** The page waits that long for a change of pools, which restarts the mining program. */
const POOLS_DEADLINE_MS = 65_000;
const LOG_BYTES = 1_048_576;
const POOLS = 3;

/** A page of the device: each takes the number of what is wanted. */
export const page = (name: string, number: string) =>
  ({ via: 'http', method: 'POST', path: `/user/${name}?post=${number}`, auth: session, as: 'json' }) as const;

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot: reboot([20, 180], (link) => orLostReply(() => sendCommand(link, 'restart', page('userpanel', '3')))),
  light: light((link, on) => {
    const { path, ...request } = page('userpanel', '5');
    return orLostReply(() =>
      sendCommand(link, 'switch the light of', { ...request, path: `${path}&locate=${on ? 1 : 0}` }),
    );
  }),
  pools: pools({ offlineS: [0, 60], atMost: POOLS, set: changePools, shownWithinS: 120 }),
  log: log(async (link) => {
    const answer = await link.send(page('logconfig', '1'), { deadlineMs: POOLS_DEADLINE_MS, maxBytes: LOG_BYTES });
    const { error, data } = logAnswer.safeParse(answer).data ?? {};
    if (error !== 0 || data === undefined) throw new PeerError('peer.rejected', `read the log of ${link.ip}`, 'later');
    return plain(data.text);
  }),
};

const logAnswer = z.looseObject({ error: int(), data: z.looseObject({ text: z.string() }) });

/** The device writes its log as a piece of a page. */
const plain = (html: string) =>
  html
    .replaceAll(/<br ?\/?>/g, '\n')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('%%', '%');

/** One form holds the pools and the fans: what it says of the fans goes back as it was read. */
async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const what = 'change the pools of';
  const before = await beforeAct(link, what, async () => {
    const answer = machineReply.safeParse(await link.send(page('machineconfig', '1'), { deadlineMs: DEADLINE_MS }));
    if (!answer.success || answer.data.data.ratio === undefined)
      throw new PeerError('peer.unparsable', `read the settings of ${link.ip}`, 'later');
    return { ...answer.data.data, ratio: answer.data.data.ratio };
  });
  const set = before.pools?.flatMap(({ addr, user = '' }) => (addr ? [{ url: poolUrl(addr), user }] : []));
  if (set !== undefined && samePools(set, wanted)) return THEY_WERE_SO;
  const form = {
    post: '2',
    fanratio: String(before.ratio),
    fanmode: before.mode === undefined || before.mode === 1 ? 'normal' : 'sleep',
    ...placesAsFields(wanted, POOLS, (no) => [`pool${no}address`, `pool${no}miner`, `pool${no}pwd`]),
  };
  const request = { ...page('machineconfig', '2'), path: '/user/machineconfig', form };
  return orLostReply(() => sendCommand(link, what, request, POOLS_DEADLINE_MS));
}

const verdict = z.looseObject({ error: int(), message: text(256) });

type Request = ReturnType<typeof page> | (Omit<ReturnType<typeof page>, 'path'> & { readonly path: string });

/** Every command is answered with a number, 0 for yes. A page that does not know the command answers without one. */
async function sendCommand(
  link: MinerLink,
  what: string,
  request: Request,
  deadlineMs = DEADLINE_MS,
): Promise<ActResult> {
  const { error, message } = verdict.safeParse(await link.send(request, { deadlineMs })).data ?? {};
  if (error === 0) return ACCEPTED;
  if (error === undefined) throw new PeerError('peer.unsupported', `${what} ${link.ip}`, 'never');
  const code = /permission|denied/i.test(message ?? '') ? 'peer.permission' : 'peer.rejected';
  throw new PeerError(code, `${what} ${link.ip}`, 'never', new Error(`the device says ${error}: ${message ?? ''}`));
}

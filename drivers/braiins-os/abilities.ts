// What we change on Braiins OS (atlas 6): reboot, light, mode and targets, pools, firmware; and its log. REST first,
// then what older versions know.
import { z } from 'zod';
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED, THEY_WERE_SO, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { samePools, type WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import { firmware, light, log, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { showsVersionIn } from '../../src/driver/kit/words/firmware-version.ts';
import { powerMode } from './power.ts';
import { poolsReply } from './replies-rest.ts';
import { graphqlSession, rest } from './requests.ts';
import { DEADLINE_MS, expectNoPage, firstKnown, mutate, put } from './send.ts';

const UPLOAD_MS = 30 * 60_000;
const MAX_LOG_BYTES = 1024 * 1024;

const REBOOT = 'mutation { bos { reboot { __typename } } }';
const LIGHT = 'mutation ($enable: Boolean!) { bos { setFaultLight(enable: $enable) { enabled } } }';

export const abilities = {
  reboot: reboot([40, 180], (link) =>
    firstKnown(
      () => put(link, 'reboot', 'actions/reboot'),
      () => mutate(link, 'reboot', { at: 'bos.reboot', query: REBOOT }),
    ),
  ),
  light: light((link, on) => {
    const what = 'switch the light of';
    return firstKnown(
      () => put(link, what, 'actions/locate', on),
      () => mutate(link, what, { at: 'bos.setFaultLight', query: LIGHT, variables: { enable: on } }),
    );
  }),
  powerMode,
  pools: pools({
    offlineS: [0, 0],
    set: (link, wanted) =>
      firstKnown(
        () => putPools(link, wanted),
        () => updateGroups(link, wanted),
      ),
  }),
  firmware: firmware({
    offlineS: [60, 900],
    send: (link, { name, bytes }) =>
      orLostReply(async () => {
        const upload = { fields: {}, file: { field: 'file', name, bytes } };
        const request = { ...rest('upgrade/system-upgrade'), method: 'POST', upload, as: 'text' } as const;
        expectNoPage(link, 'upgrade', await link.send(request, { deadlineMs: UPLOAD_MS }));
        return ACCEPTED;
      }),
    isVersion: showsVersionIn,
  }),
  log: log((link) =>
    firstKnown(
      async () => {
        const request = { ...rest('miner/log/bosminer'), as: 'text' } as const;
        const text = await link.send(request, { deadlineMs: 60_000, maxBytes: MAX_LOG_BYTES });
        expectNoPage(link, 'read the log of', text);
        return String(text);
      },
      () => graphqlLog(link),
    ),
  ),
} as const satisfies Readonly<Partial<Record<AbilityName, Ability>>>;

/** The whole list replaces all groups; the first keeps its name. The device goes over to it without a restart. */
async function putPools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const what = 'change the pools of';
  const answer = await beforeAct(link, what, () => link.send(rest('pools'), { deadlineMs: DEADLINE_MS }));
  const groups = poolsReply.safeParse(answer).data;
  const set = groups?.flatMap(({ pools }) => pools ?? []).map(({ url = '', user = '' }) => ({ url, user }));
  if (groups?.length === 1 && set !== undefined && samePools(set, wanted)) {
    return THEY_WERE_SO;
  }
  const pools = wanted.map(({ url, user, password }) => ({ url, user, password, enabled: true }));
  const group = { name: groups?.[0]?.name ?? 'default', pools, load_balance_strategy: { quota: { value: 1 } } };
  return put(link, what, 'pools/batch', [group]);
}

const GROUPS = `mutation ($groups: [Group!]!) { bosminer { config { updateGroups(groups: $groups) {
  __typename ... on GroupListError { message } } } } }`;
const RESTART = 'mutation { bosminer { restart { __typename ... on BosminerError { message } } } }';

async function updateGroups(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const what = 'change the pools of';
  const pools = wanted.map(({ url, user, password }) => ({ url, user, password }));
  const groups = [{ name: 'default', quota: 1, pools }];
  const set = await mutate(link, what, { at: 'bosminer.config.updateGroups', query: GROUPS, variables: { groups } });
  if (set.kind === 'lost-reply') return set;
  return mutate(link, 'restart the mining of', { at: 'bosminer.restart', query: RESTART });
}

const LOG = 'query ($target: LogTarget!) { bos { log(target: $target) } }';
const logAnswer = z.looseObject({
  data: z.looseObject({ bos: z.looseObject({ log: z.union([z.string(), z.array(z.string())]) }) }),
});

async function graphqlLog(link: MinerLink): Promise<string> {
  const json = { query: LOG, variables: { target: 'BOSMINER' } };
  const request = { via: 'http', method: 'POST', path: '/graphql', auth: graphqlSession, json, as: 'json' } as const;
  const found = logAnswer.safeParse(await link.send(request, { deadlineMs: 60_000, maxBytes: MAX_LOG_BYTES }));
  if (!found.success) throw unsupported(link, 'read the log of');
  const text = found.data.data.bos.log;
  return typeof text === 'string' ? text : text.join('\n');
}

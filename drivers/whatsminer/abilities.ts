// What we change on a Whatsminer: reboot, light, power, pools, firmware; and its log. API 1 takes no commands; which
// there are in the others is in api2 and api3.
import * as kit from '../../src/driver/kit/index.ts';
import { commands as api2 } from './api2/index.ts';
import { OLDER } from './api3/commands.data.ts';
import { commands as api3 } from './api3/index.ts';
import { partFor } from './firmware.ts';
import { generationOf } from './identify.ts';
import { isSuspended, modeOf, platformOf } from './read.ts';
import { REFUSALS } from './refusals.data.ts';

const POOLS = 3;
const MOST_LOG = { maxBytes: 1024 * 1024 };

export const abilities = {
  reboot: kit.reboot([40, 180], (link, known) => act(link, known, 'reboot', ({ reboot }) => reboot)),
  light: kit.light((link, on, known) =>
    act(link, known, 'switch the light of', ({ lightOn, lightOff }) => (on ? lightOn : lightOff)),
  ),
  /** A preset is a power limit such as `3300 W`. */
  powerMode: kit.modesAndPresets({
    offlineS: [0, 60],
    async set(link, { mode, preset }, known) {
      const what = preset === undefined ? 'set the power mode of' : 'set the power limit of';
      const watts = preset === undefined ? undefined : kit.wattsOf(preset);
      if (preset !== undefined && watts === undefined)
        throw kit.unsupported(link, what, 'Whatsminer has power limits, such as 3300 W, and no presets');
      const api = await apiOf(link, known, what);
      if (mode === 'sleep') return send(link, 'suspend', api.sleep);
      const { machine } = await api.look(link, what, 'power');
      // Both want the miner powered on, and setting them restarts the mining process: not for nothing.
      const commands: Command[] = isSuspended(machine) ? [...api.wake] : [];
      if (watts !== undefined) {
        const { machine: limited } = await api.look(link, what, 'limit');
        if (limited.watts('powerLimit') !== watts) commands.push(api.limit(watts));
      } else if (mode !== undefined && modeOf(machine) !== mode) commands.push(...api.mode[mode]);
      return send(link, what, commands);
    },
    shows: kit.showsModeOrLimit,
    shownWithinS: 180,
  }),
  pools: kit.pools({ offlineS: [0, 60], atMost: POOLS, set: changePools, shownWithinS: 180 }),
  firmware: kit.firmware({
    offlineS: [60, 900],
    async send(link, image, known) {
      const what = 'update the firmware of';
      const api = await apiOf(link, known, what);
      const chip = platformOf((await api.look(link, what, 'board')).machine);
      if (chip === undefined) throw kit.unsupported(link, what, 'it does not name its control board');
      const part = await partFor(image, chip.toLowerCase(), `${what} ${link.ip}`);
      return kit.upload(link, what, api.update(part), verdict);
    },
    // Makers and devices write `Rel` in any case.
    isVersion: (told, wanted) => told.toLowerCase() === wanted.trim().toLowerCase(),
  }),
  password: kit.password({
    offlineS: [0, 60],
    // In bytes; API 3 does not say.
    pattern: kit.plainPassword(8),
    async provesLogin(link, known) {
      const api = await apiOf(link, known, 'prove the login of');
      return api.proveLogin(link);
    },
    async set(link, wanted, known) {
      const what = 'set the password of';
      return send(link, what, [(await apiOf(link, known, what)).password(wanted)]);
    },
  }),
  log: kit.log(async (link, known) => {
    const [first, second = first] = (await apiOf(link, known, 'read the log of')).log;
    const ask = () => link.send(first, MOST_LOG);
    return String(await kit.orElse(ask, () => link.send(second, MOST_LOG), ['peer.permission']));
  }),
};

type Api = typeof api2 | typeof api3;

/** Throws `peer.unsupported` before anything is changed when the firmware takes no commands. */
async function apiOf(link: kit.MinerLink, { generation: seen }: kit.Known, what: string): Promise<Api> {
  // API 1 and 2 look alike until the firmware is asked, and a firmware may have been changed since the last scan.
  const ask = async () =>
    generationOf(JSON.stringify((await kit.askFirst(link, what, kit.tcp('get_version'), () => true)).raw) ?? '');
  // Firmware of API 3 that was seen by its web page alone may have no other port.
  const find = () => (seen === undefined ? kit.orElse(ask, () => 'api3' as const, ['peer.refused']) : ask());
  const generation = seen === 'api3' || seen === 'api1' ? seen : await find();
  if (generation !== 'api1') return generation === 'api3' ? api3 : api2;
  throw kit.unsupported(link, what, 'firmware before 2022-07-29 takes no commands over its API');
}

async function act(link: kit.MinerLink, known: kit.Known, what: string, pick: (api: Api) => readonly Command[]) {
  return send(link, what, pick(await apiOf(link, known, what)));
}

type Command = Extract<kit.MinerRequest, { readonly via: 'whatsminer2-write' | 'whatsminer3-write' }>;

/** One after another, until one is refused (thrown) or its answer is lost; where there is none, it was so already. */
function send(link: kit.MinerLink, what: string, commands: readonly Command[]): Promise<kit.ActResult> {
  const steps = commands.map((command) => {
    const older = OLDER[command.cmd];
    const sent = (cmd = command.cmd) => kit.command(link, what, { ...command, cmd }, verdict);
    return older === undefined ? sent : () => kit.orElse(sent, () => sent(older), ['peer.unsupported']);
  });
  return kit.inTurn(...steps);
}

/** Of both APIs: `Code` 131 and `code` 0 are yes, all else is the device's no. */
function verdict(answer: kit.Answer): kit.Verdict {
  const number = answer.int('Code') ?? answer.int('code');
  const note = answer.text('Msg') ?? answer.text('msg');
  if (number === undefined) return undefined;
  if (number === 131 || number === 0) return { kind: 'accepted', ...(note !== undefined && { note }) };
  const code = REFUSALS[number] ?? 'peer.rejected';
  return { code, why: `"${note ?? ''}" (code ${number})`, retry: code === 'peer.busy' ? 'later' : 'never' };
}

async function changePools(link: kit.MinerLink, wanted: readonly kit.WantedPool[], known: kit.Known) {
  const what = 'change the pools of';
  const api = await apiOf(link, known, what);
  // While the mining process is down or starts anew it tells no pools: that stands in the way of nothing.
  const before = await api.poolsNow(link);
  if (before !== undefined && kit.samePools(before, wanted)) return kit.THEY_WERE_SO;
  const result = await send(link, what, [api.pools(wanted, POOLS)]);
  if (result.kind === 'lost-reply' || api === api3) return result;
  // Older builds of API 2 go on with the old ones until the mining process restarts; newer ones restart it themselves.
  const after = await api.poolsNow(link);
  if (after === undefined || kit.samePools(after, wanted)) return result;
  return send(link, 'restart the mining of', api.restart);
}

// What we change on VNish (atlas 8): reboot, light, sleep and preset, pools, firmware; and its log. What may toggle is
// looked at first.
import * as kit from '../../src/driver/kit/index.ts';
import { stateOf } from './parts.ts';
import { inEitherForm, open, read, write } from './requests.ts';
import { changeSettings, setPreset } from './settings.ts';
import { ASLEEP } from './words.data.ts';

const post = (link: kit.MinerLink, what: string, path: string, json?: unknown) =>
  kit.command(inEitherForm(link), what, kit.asText(write(path, json === undefined ? {} : { json })));

export const abilities = {
  reboot: kit.reboot([40, 180], (link) => post(link, 'reboot', 'system/reboot')),
  light: kit.light(async (link, on) => {
    const what = 'switch the light of';
    // Both words may turn the light over rather than set it.
    if ((await statusOf(link, what)).bool('find_miner') === on) return kit.SO_ALREADY;
    const locate = () => post(link, what, 'locate-miner', { is_enabled: on });
    return kit.orElse(() => post(link, what, 'find-miner', { on }), locate, ['peer.unsupported']);
  }),
  /** A preset is the name of one of the device, such as `3495`, or `disabled`. */
  powerMode: kit.modesAndPresets({
    offlineS: [0, 0],
    async set(link, { mode, preset }) {
      if (preset !== undefined) return setPreset(link, preset);
      if (mode === 'sleep' || mode === 'normal') return setAwake(link, mode === 'normal');
      const why = 'VNish has presets, named in its own words, and no such mode';
      throw kit.unsupported(link, `set the mode ${mode} on`, why);
    },
    shows({ miningMode, miningModePreset, isMining }, { mode, preset }) {
      if (preset !== undefined) return miningModePreset === undefined ? undefined : miningModePreset === preset;
      if (isMining === undefined) return undefined;
      return (miningMode === 'sleep') === (mode === 'sleep');
    },
    shownWithinS: 120,
  }),
  pools: kit.pools({
    offlineS: [0, 0],
    set: changePools,
    /** A name that the device hides proves nothing. */
    shows: (reading, params) =>
      reading.pools?.some(({ user }) => user === '') ? undefined : kit.showsPools(reading, params),
    shownWithinS: 120,
  }),
  firmware: kit.firmware({
    offlineS: [60, 900],
    send(link, { name, bytes }) {
      const upload = { fields: { keep_settings: 'true' }, file: { field: 'file', name, bytes } };
      return kit.upload(inEitherForm(link), 'update', kit.asText(write('firmware/update', { upload })));
    },
  }),
  log: kit.log((link) => {
    const loggedIn = () => kit.fetchLog(inEitherForm(link), kit.asText(read('logs/miner')));
    // Some versions show it to anybody.
    return kit.orElse(() => kit.fetchLog(link, kit.asText(open('logs/miner'))), loggedIn, ['peer.auth']);
  }),
};

const statusOf = (link: kit.MinerLink, what: string) =>
  kit.askFirst(link, what, open('status'), (status) => status.has('miner_state'));

async function setAwake(link: kit.MinerLink, isWanted: boolean): Promise<kit.ActResult> {
  const what = isWanted ? 'wake' : 'put to sleep';
  const state = stateOf(await statusOf(link, what), 'miner_state');
  if (ASLEEP.includes(state) !== isWanted && state !== 'failure') {
    return isWanted ? { ...kit.ACCEPTED, note: 'it was awake already; its preset stays as it is' } : kit.SO_ALREADY;
  }
  if (!isWanted) return post(link, what, 'mining/stop');
  return post(link, what, state === 'paused' ? 'mining/resume' : 'mining/start');
}

async function changePools(link: kit.MinerLink, wanted: readonly kit.WantedPool[]): Promise<kit.ActResult> {
  const pools = wanted.map(({ url, user, password }, order) => {
    const [, address] = /^stratum\+tcp:\/\/([^\s/:]+:\d{1,5})$/i.exec(url) ?? [];
    if (address === undefined) throw kit.unsupported(link, 'set a pool of this kind on');
    return { id: order, order, url: address, user, pass: password };
  });
  return changeSettings(link, 'change the pools of', { pools });
}

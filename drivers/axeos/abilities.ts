// What we change on AxeOS and its kin (atlas 11): restart, show itself, pause, frequency, pools, firmware.
import * as kit from '../../src/driver/kit/index.ts';
import { expectApplication, isVersion } from './firmware.ts';
import { mhzOf, setFrequency } from './frequency.ts';
import { isTls, placesOf } from './read.ts';
import { changeAndRestart, readInfo, restart, write } from './send.ts';

const POOLS = 2;
const STEP_MHZ = 4;
const UPLOAD_MS = 10 * 60_000;

export const abilities = {
  reboot: kit.reboot([5, 60], (link) => restart(link)),
  light: kit.blink((link) => write(link, 'show', kit.post('/api/system/identify'))),
  /** A preset is a frequency such as `525 MHz`. */
  powerMode: kit.modesAndPresets({
    offlineS: [0, 60],
    async set(link, { mode, preset = '' }) {
      const mhz = mhzOf(preset);
      if (mhz !== undefined) return setFrequency(link, mhz);
      const unknown = kit.unsupported(link, `set the mode ${mode ?? preset} on`);
      if (mode !== 'sleep' && mode !== 'normal') throw unknown;
      const isPaused = (await readInfo(link, 'pause')).bool('miningPaused');
      if (isPaused === undefined) throw unknown;
      if (isPaused === (mode === 'sleep')) return kit.SO_ALREADY;
      return write(link, 'pause or resume', kit.post(`/api/system/${mode === 'sleep' ? 'pause' : 'resume'}`));
    },
    shows({ miningMode, boards }, { mode, preset }) {
      if (preset === undefined) return miningMode === undefined ? undefined : miningMode === mode;
      const mhz = boards?.[0]?.frequencyMhz;
      // What the chips run at comes in steps.
      return mhz === undefined ? undefined : Math.abs(mhz - (mhzOf(preset) ?? 0)) < STEP_MHZ;
    },
    shownWithinS: 120,
  }),
  pools: kit.pools({ offlineS: [5, 60], atMost: POOLS, set: changePools, shows: kit.showsFilledUp, shownWithinS: 120 }),
  firmware: kit.firmware({
    offlineS: [5, 120],
    async send(link, image) {
      const what = 'update the firmware of';
      await expectApplication(link, image, what);
      return write(link, what, kit.post('/api/system/OTA', 'none', { octets: image.bytes }), UPLOAD_MS);
    },
    isVersion,
    shownWithinS: 300,
  }),
};

/** With one pool, the fallback is that pool too. They count after a restart. */
async function changePools(link: kit.MinerLink, wanted: readonly kit.WantedPool[]): Promise<kit.ActResult> {
  const what = 'change the pools of';
  const pools = kit.filledUp(wanted, POOLS).map((pool) => ({ ...pool, ...hostAndPort(link, pool.url) }));
  const info = await readInfo(link, what);
  if (
    kit.samePools(
      placesOf(info).flatMap((place) => place ?? []),
      pools,
    )
  )
    return kit.THEY_WERE_SO;
  const settings = pools.flatMap(({ host, port, user, password }, place) => {
    const prefix = place === 0 ? 'stratum' : 'fallbackStratum';
    // Addresses of pools with TLS are refused above; builds without it do not know these keys. The NerdAxe family,
    // which tells its model, takes a boolean and nothing else; the others a number.
    const tls = isTls(info, prefix) && { TLS: info.has('deviceModel') ? false : 0 };
    const fields = { URL: host, Port: port, User: user, Password: password, ...tls };
    return Object.entries(fields).map(([name, value]) => [`${prefix}${name}`, value] as const);
  });
  return changeAndRestart(link, what, Object.fromEntries(settings));
}

/** The device wants host and port apart and speaks Stratum over TCP only. */
function hostAndPort(link: kit.MinerLink, url: string) {
  const [, host, port] = url.match(/^stratum\+tcp:\/\/([^\s/:]+):(\d{1,5})$/i) ?? [];
  if (host === undefined) throw kit.unsupported(link, 'set a pool of this kind on');
  return { host, port: Number(port) };
}

// What we change on AxeOS and its kin (atlas 11): restart, show itself, pause, frequency, pools, firmware.
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { ACCEPTED, SO_ALREADY, THEY_WERE_SO, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { filledUp, showsFilledUp, type WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import { blink, firmware, modesAndPresets, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { expectApplication, isVersion } from './firmware.ts';
import { mhzOf, setFrequency } from './frequency.ts';
import { addressesOf } from './read.ts';
import { changeAndRestart, readInfo, write } from './send.ts';

const POOLS = 2;
const STEP_MHZ = 4;
const UPLOAD_MS = 10 * 60_000;

export const abilities = {
  reboot: reboot([5, 60], (link) => write(link, 'reboot', 'POST', '/api/system/restart')),
  light: blink((link) => write(link, 'show', 'POST', '/api/system/identify')),
  /** A preset is a frequency such as `525 MHz`. */
  powerMode: modesAndPresets({
    offlineS: [0, 60],
    async set(link, { mode, preset }) {
      const unknown = () => unsupported(link, `set the mode ${mode ?? preset} on`);
      if (preset !== undefined) {
        const mhz = mhzOf(preset);
        if (mhz === undefined) throw unknown();
        return setFrequency(link, mhz);
      }
      if (mode === 'low' || mode === 'high') throw unknown();
      const { miningPaused } = await readInfo(link, 'pause');
      if (miningPaused === undefined) throw unknown();
      if (miningPaused === (mode === 'sleep')) return SO_ALREADY;
      return write(link, 'pause or resume', 'POST', `/api/system/${mode === 'sleep' ? 'pause' : 'resume'}`);
    },
    shows({ miningMode, boards }, { mode, preset }) {
      if (preset === undefined) return miningMode === undefined ? undefined : miningMode === mode;
      const mhz = boards?.[0]?.frequencyMhz;
      // What the chips run at comes in steps.
      return mhz === undefined ? undefined : Math.abs(mhz - (mhzOf(preset) ?? 0)) < STEP_MHZ;
    },
    shownWithinS: 120,
  }),
  pools: pools({ offlineS: [5, 60], atMost: POOLS, set: changePools, shows: showsFilledUp, shownWithinS: 120 }),
  firmware: firmware({
    offlineS: [5, 120],
    async send(link, image) {
      const what = 'update the firmware of';
      await expectApplication(link, image, what);
      return write(link, what, 'POST', '/api/system/OTA', { octets: image.bytes }, UPLOAD_MS);
    },
    isVersion,
    shownWithinS: 300,
  }),
} as const satisfies Partial<Record<AbilityName, Ability>>;

/** With one pool, the fallback is that pool too. They count after a restart. */
async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const what = 'change the pools of';
  const [main, fallback] = filledUp(wanted, POOLS).map((pool) => addressOf(link, pool));
  if (main === undefined || fallback === undefined) return ACCEPTED;
  const info = await readInfo(link, what);
  const [[mainUrl, mainUser], [fallbackUrl, fallbackUser]] = addressesOf(info);
  const isMainSo = mainUrl === main.url && mainUser === main.user;
  if (isMainSo && fallbackUrl === fallback.url && fallbackUser === fallback.user) return THEY_WERE_SO;
  // The NerdAxe family, which tells its model, takes a boolean and nothing else; the others a number.
  const noTls = info.deviceModel === undefined ? 0 : false;
  return changeAndRestart(link, what, {
    stratumURL: main.host,
    stratumPort: main.port,
    stratumUser: main.user,
    stratumPassword: main.password,
    fallbackStratumURL: fallback.host,
    fallbackStratumPort: fallback.port,
    fallbackStratumUser: fallback.user,
    fallbackStratumPassword: fallback.password,
    // Addresses of pools with TLS are refused above; builds without it do not know these keys.
    ...(info.stratumTLS && { stratumTLS: noTls }),
    ...(info.fallbackStratumTLS && { fallbackStratumTLS: noTls }),
  });
}

/** The device wants host and port apart and speaks Stratum over TCP only. */
function addressOf(link: MinerLink, pool: WantedPool) {
  const [, host, port] = pool.url.match(/^stratum\+tcp:\/\/([^\s/:]+):(\d{1,5})$/i) ?? [];
  if (host === undefined) throw unsupported(link, 'set a pool of this kind on');
  return { ...pool, host, port: Number(port), url: `stratum+tcp://${host}:${port}` };
}

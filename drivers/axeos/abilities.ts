// What we change on AxeOS and its kin (atlas 11): restart, show itself, pause, frequency, pools, firmware.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult } from '../../src/driver/contract.ts';
import { filledUp, poolParams, showsFilledUp, type WantedPool } from '../_families/pool-params.ts';
import { expectApplication, isVersion } from './firmware.ts';
import { mhzOf, setFrequency } from './frequency.ts';
import { poolUrl } from './read.ts';
import { ACCEPTED, changeAndRestart, type MinerLink, readInfo, SO_ALREADY, write } from './send.ts';

const POOLS = 2;
const UPLOAD_MS = 10 * 60_000;

const lightParams = z.looseObject({ on: z.boolean() });
const modeParams = z
  .looseObject({
    mode: z.enum(['sleep', 'low', 'normal', 'high']).optional(),
    /** A frequency such as `525 MHz`. */
    preset: z.string().min(1).max(64).optional(),
  })
  .refine(({ mode, preset }) => (mode === undefined) !== (preset === undefined));
const axePoolParams = poolParams.refine(({ pools }) => pools.length <= POOLS);
const firmwareParams = z.looseObject({ version: z.string().optional() });

export const abilities = {
  reboot: {
    effect: 'once',
    offlineS: [5, 60],
    params: z.looseObject({}),
    act: (link) => write(link, 'reboot', 'POST', '/api/system/restart'),
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    async act(link, params) {
      const what = 'show';
      if (lightParams.parse(params).on) return write(link, what, 'POST', '/api/system/identify');
      throw new PeerError('peer.unsupported', `stop ${link.ip} from showing itself: that ends by itself`, 'never');
    },
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 60],
    params: modeParams,
    async act(link, params) {
      const { mode, preset } = modeParams.parse(params);
      const unsupported = () =>
        new PeerError('peer.unsupported', `set the mode of ${link.ip} to ${mode ?? preset}`, 'never', undefined, {
          wasSent: false,
        });
      if (preset !== undefined) {
        const mhz = mhzOf(preset);
        if (mhz === undefined) throw unsupported();
        return setFrequency(link, mhz);
      }
      if (mode === 'low' || mode === 'high') throw unsupported();
      const { miningPaused } = await readInfo(link, 'pause');
      if (miningPaused === undefined) throw unsupported();
      if (miningPaused === (mode === 'sleep')) return SO_ALREADY;
      return write(link, 'pause or resume', 'POST', `/api/system/${mode === 'sleep' ? 'pause' : 'resume'}`);
    },
    shows({ miningMode, boards }, params) {
      const { mode, preset } = modeParams.safeParse(params).data ?? {};
      if (preset === undefined) return miningMode === undefined ? undefined : miningMode === mode;
      const mhz = boards?.[0]?.frequencyMhz;
      return mhz === undefined ? undefined : mhz === mhzOf(preset);
    },
    shownWithinS: 120,
  },
  pools: {
    effect: 'once',
    offlineS: [5, 60],
    params: axePoolParams,
    act: (link, params) => changePools(link, axePoolParams.parse(params).pools),
    shows: showsFilledUp,
    shownWithinS: 120,
  },
  firmware: {
    effect: 'once',
    offlineS: [5, 120],
    params: firmwareParams,
    async act(link, _params, _known, image) {
      const what = 'update the firmware of';
      if (image === undefined) {
        throw new PeerError('peer.unsupported', `${what} ${link.ip} without a file`, 'never', undefined, {
          wasSent: false,
        });
      }
      await expectApplication(image, `${what} ${link.ip}`);
      return write(link, what, 'POST', '/api/system/OTA', { octets: image.bytes }, UPLOAD_MS);
    },
    shows({ firmwareVersion }, params) {
      const wanted = firmwareParams.safeParse(params).data?.version;
      return wanted === undefined || firmwareVersion === undefined ? undefined : isVersion(firmwareVersion, wanted);
    },
    shownWithinS: 300,
  },
} as const satisfies Partial<Record<AbilityName, Ability>>;

/** With one pool, the fallback is that pool too. They count after a restart. */
async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const what = 'change the pools of';
  const [main, fallback] = filledUp(wanted, POOLS).map((pool) => addressOf(link, pool));
  if (main === undefined || fallback === undefined) return ACCEPTED;
  const info = await readInfo(link, what);
  if (
    poolUrl(info.stratumURL, info.stratumPort) === main.url &&
    info.stratumUser === main.user &&
    poolUrl(info.fallbackStratumURL, info.fallbackStratumPort) === fallback.url &&
    info.fallbackStratumUser === fallback.user
  ) {
    return { ...ACCEPTED, note: 'they were so already' };
  }
  return changeAndRestart(link, what, {
    stratumURL: main.host,
    stratumPort: main.port,
    stratumUser: main.user,
    stratumPassword: main.password,
    fallbackStratumURL: fallback.host,
    fallbackStratumPort: fallback.port,
    fallbackStratumUser: fallback.user,
    fallbackStratumPassword: fallback.password,
  });
}

/** The device wants host and port apart and speaks Stratum over TCP only. */
function addressOf(link: MinerLink, pool: WantedPool) {
  const [, host, port] = pool.url.match(/^stratum\+tcp:\/\/([^\s/:]+):(\d{1,5})$/i) ?? [];
  if (host === undefined) {
    throw new PeerError('peer.unsupported', `set a pool of this kind on ${link.ip}`, 'never', undefined, {
      wasSent: false,
    });
  }
  return { ...pool, host, port: Number(port), url: `stratum+tcp://${host}:${port}` };
}

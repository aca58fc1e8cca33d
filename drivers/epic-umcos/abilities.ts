// What we change on ePIC firmware (atlas 9): reboot, light, sleep and tuning target, pools, firmware; and its log.
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, FirmwareImage, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct } from '../../src/driver/kit/act/lost-reply.ts';
import { unsupported } from '../../src/driver/kit/act/outcomes.ts';
import type { WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import { firmware, light, log, modesAndPresets, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { showsVersionIn } from '../../src/driver/kit/words/firmware-version.ts';
import { parseTarget, sameTarget, type Target } from '../../src/driver/kit/words/target-preset.ts';
import { capabilitiesReply, type Summary, summaryReply } from './replies.ts';
import { resource, sendCommand, uploadTo } from './requests.ts';
import { tuningOf } from './tuning.ts';

const DEADLINE_MS = 10_000;
const UPLOAD_MS = 30 * 60_000;
const MAX_LOG_BYTES = 1024 * 1024;

export const abilities = {
  reboot: reboot([40, 180], (link) => sendCommand(link, 'reboot', '0')),
  light: light((link, on) => sendCommand(link, 'identify', on)),
  /** A preset is a target of the tuner: `120 TH/s`, `3000 W`. */
  powerMode: modesAndPresets({
    offlineS: [0, 0],
    async set(link, { mode, preset }) {
      if (mode === 'sleep') return sendCommand(link, 'miner', 'Stop');
      // It wakes as it was tuned.
      if (mode === 'normal') return sendCommand(link, 'miner', 'Autostart');
      const target = parseTarget(preset ?? '');
      if (target === undefined) throw unsupported(link, `set the mode '${mode ?? preset}' on`);
      return setTarget(link, target);
    },
    shows({ miningMode, miningModePreset, isMining }, { mode, preset }) {
      if (preset !== undefined) return miningMode === undefined ? undefined : sameTarget(miningModePreset, preset);
      if (mode === 'sleep') return isMining === undefined ? undefined : miningMode === 'sleep' || !isMining;
      return isMining === undefined ? undefined : miningMode !== 'sleep' && miningMode !== undefined;
    },
    shownWithinS: 180,
  }),
  pools: pools({ offlineS: [0, 0], atMost: 3, set: changePools, shownWithinS: 120 }),
  firmware: firmware({ offlineS: [60, 900], send: update, isVersion: showsVersionIn }),
  log: log(async (link) => {
    const request = { ...resource('log'), as: 'text' } as const;
    return String(await link.send(request, { deadlineMs: 60_000, maxBytes: MAX_LOG_BYTES }));
  }),
} as const satisfies Readonly<Partial<Record<AbilityName, Ability>>>;

const summaryOf = (link: MinerLink, what: string): Promise<Summary> =>
  beforeAct(link, what, async () => {
    const summary = summaryReply.safeParse(await link.send(resource('summary'), { deadlineMs: DEADLINE_MS })).data;
    if (summary === undefined) throw new PeerError('peer.unparsable', `read the state of ${link.ip}`, 'later');
    return summary;
  });

/** The algorithm that is set stays, if its target is of that kind; without one, the first that the firmware offers. */
async function setTarget(link: MinerLink, { value, unit }: Target): Promise<ActResult> {
  const what = `set the target ${value} ${unit} of`;
  const tuning = tuningOf(await summaryOf(link, what));
  const { PerpetualTune: offers = [] } = await beforeAct(
    link,
    what,
    async () =>
      capabilitiesReply.safeParse(await link.send(resource('capabilities'), { deadlineMs: DEADLINE_MS })).data ?? {},
  );
  const name = tuning?.name ?? offers[0]?.algorithm;
  const usual = tuning?.unit ?? 'TH/s';
  const { min = 0, max = Number.POSITIVE_INFINITY } = offers.find(({ algorithm }) => algorithm === name) ?? {};
  if (name === undefined || unit !== usual || value < min || value > max) {
    throw unsupported(link, what, 'its tuner does not take this target');
  }
  const set = await sendCommand(link, 'perpetualtune/algo', {
    algo: name,
    target: value,
    ...(tuning?.minThrottle !== undefined && { min_throttle: tuning.minThrottle }),
    ...(tuning?.throttleStep !== undefined && { throttle_step: tuning.throttleStep }),
  });
  return set.kind === 'lost-reply' || tuning?.isOn === true ? set : sendCommand(link, 'perpetualtune', true);
}

/** Whether workers get an id of the machine added stays as it is. */
async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const { Stratum: stratum } = await summaryOf(link, 'change the pools of');
  return sendCommand(link, 'coin', {
    coin: 'BTC',
    stratum_configs: wanted.map(({ url, user, password }) => ({ pool: url, login: user, password })),
    unique_id: stratum?.['Worker Unique Id'] ?? false,
  });
}

/** The file is a zip and starts as one. */
async function update(link: MinerLink, image: FirmwareImage): Promise<ActResult> {
  const [first, second] = new Uint8Array(await image.bytes.slice(0, 2).arrayBuffer());
  if (first !== 0x50 || second !== 0x4b) throw unsupported(link, 'update', 'ePIC firmware comes as a zip file');
  const upload = {
    fields: { checksum: image.sha256, keepsettings: 'true' },
    file: { field: 'update.zip', name: 'update.zip', bytes: image.bytes },
  };
  return uploadTo(link, 'systemupdate', upload, UPLOAD_MS);
}

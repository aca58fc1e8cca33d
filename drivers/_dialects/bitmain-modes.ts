// Sets a mode that is a key of the whole configuration (atlas 3.4, 15, 20): read, change, send back whole, read again.
// A yes without a change is a refusal. The core looks whether the miner then sleeps or hashes.
import * as kit from '../../src/driver/kit/index.ts';
import type { PowerMode } from '../../src/model/tasks/task-params.ts';
import { type Conf, confNow, readConf, writeConf } from './bitmain-conf.ts';

export { likeBefore } from './bitmain-conf.ts';

/** Of a configuration whose two names for the mode disagree: it is written over, and afterwards only a look tells. */
export const UNCLEAR = -1;

type ModeDialect = {
  /** The device's number for a mode; undefined = it has no such mode. */
  toNumber(mode: PowerMode, known: kit.Known): number | undefined;
  /** Undefined when the configuration does not say: then nothing is written over it. */
  modeOf(conf: Conf): number | undefined;
  /** Everything that the device wants back, with the mode changed. */
  body(conf: Conf, number: number, known: kit.Known): unknown;
};

/** While the process restarts, TCP tells nothing or what was before. */
const TIMING = { offlineS: [0, 60], shownWithinS: 180 } as const;

export const confMode = (dialect: ModeDialect) =>
  kit.modes(TIMING, async (link, mode, known) => {
    const what = 'set the mode of';
    const wanted = dialect.toNumber(mode, known);
    if (wanted === undefined) throw kit.unsupported(link, `set the mode ${mode} on`);
    const conf = await readConf(link, what);
    const before = dialect.modeOf(conf);
    if (before === undefined) {
      const cause = new Error('its configuration has no mode');
      throw new kit.PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause, { wasSent: false });
    }
    // Writing restarts the process: not for nothing.
    if (before === wanted) return { kind: 'accepted', note: 'was so before' };
    const result = await writeConf(link, dialect.body(conf, wanted, known), what);
    if (result.kind === 'lost-reply') return result;
    const written = await confNow(link);
    const after = written && dialect.modeOf(written);
    if (after === undefined || after === wanted || after === UNCLEAR) return result;
    const cause = new Error('the device says yes and keeps its mode');
    throw new kit.PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause);
  });

/** Bitmain's own numbers; 5 ("not mining") is told by the newest builds and never set. */
const BITMAIN_MODES = { normal: 0, sleep: 1, high: 2, low: 3 } as const;

/** The 17 series writes sleep in its own way; its late builds have either web. */
export const SLEEP_17 = 254;
export const is17Series = (model: string | undefined) => /^(antminer )?[STX]17/i.test(model ?? '');

/** The device's number for a mode. */
export function modeNumber(mode: PowerMode, model: string | undefined): number | undefined {
  if (!is17Series(model)) return BITMAIN_MODES[mode];
  // Of its numbers two are known.
  return mode === 'sleep' ? SLEEP_17 : mode === 'normal' ? 0 : undefined;
}

/** What a number of the device means; undefined where it is not known. */
export function modeName(
  number: number | undefined,
  model: Pick<kit.Model, 'model'> | undefined,
): kit.Reading['miningMode'] {
  if (is17Series(model?.model)) return number === 0 ? 'normal' : number === SLEEP_17 ? 'sleep' : undefined;
  switch (number) {
    case 0:
      return 'normal';
    case 1:
    case 5:
      return 'sleep';
    case 2:
      return 'high';
    case 3:
      return 'low';
    default:
      return undefined;
  }
}

/** The number of a setting under its two names; where they disagree neither is believed. */
export function settingOf(conf: kit.Answer): number | undefined {
  const [written, other] = [conf.count('bitmain-work-mode'), conf.count('miner-mode')];
  return written !== undefined && other !== undefined && written !== other ? undefined : (written ?? other);
}

/** The mode under its two names; where both are there they have to agree. */
export function bitmainMode(conf: Conf): number | undefined {
  const [minerMode, workMode] = [conf['miner-mode'], conf['bitmain-work-mode']].map((value) =>
    kit.toNumber(value, { min: 0, max: 255 }),
  );
  if (minerMode === undefined || workMode === undefined) return minerMode ?? workMode;
  return minerMode === workMode ? minerMode : UNCLEAR;
}

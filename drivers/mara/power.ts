// Sleep, wake and tuning of MARA firmware (atlas 14): one word selects how it works, and its own history knows what it
// was before it slept.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { SO_ALREADY, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { modesAndPresets } from '../../src/driver/kit/act/usual-abilities.ts';
import { parseTarget, sameTarget } from '../../src/driver/kit/words/target-preset.ts';
import { type Config, modeNow, readConfig, resource, write } from './requests.ts';

const SELECTORS = ['Auto', 'Fixed', 'Stock'] as const;
const selectorOf = (text: string) => SELECTORS.find((name) => name.toLowerCase() === text.trim().toLowerCase());
const isAsleep = (selector: string) => selector.toLowerCase() === 'sleep';

/**
 * A preset is `Stock`, `Fixed`, `Auto` (tuned to the target that is set), or a target such as `3000 W` or `104 TH/s`.
 */
export const powerMode = modesAndPresets({
  offlineS: [0, 60],
  async set(link, { mode, preset }) {
    const isKnown =
      preset === undefined
        ? mode === 'sleep' || mode === 'normal'
        : (selectorOf(preset) ?? parseTarget(preset)) !== undefined;
    const what = `set the mode ${preset ?? mode} on`;
    if (!isKnown) throw unsupported(link, what);
    const config = await readConfig(link, what);
    const before = config.mode['work-mode-selector'];
    if (mode === 'normal' && !isAsleep(before))
      return { kind: 'accepted', note: 'it was awake already; its tuning stays as it is' };
    if (mode !== undefined) {
      const selector = mode === 'sleep' ? 'Sleep' : await selectorBeforeSleep(link, config);
      const result = await change(link, what, config, { 'work-mode-selector': selector });
      return mode === 'normal' && result.kind === 'accepted' ? { ...result, note: `woken as ${selector}` } : result;
    }
    const selector = selectorOf(preset ?? '');
    if (selector !== undefined) return change(link, what, config, { 'work-mode-selector': selector });
    const { concorde } = config.mode;
    if (concorde === undefined) throw unsupported(link, what);
    return change(link, what, config, {
      'work-mode-selector': 'Auto',
      concorde: { ...concorde, ...targetFields(preset ?? '') },
    });
  },
  shows({ miningMode, miningModePreset }, { mode, preset = '' }) {
    if (miningMode === undefined) return undefined;
    if (mode !== undefined) return (miningMode === 'sleep') === (mode === 'sleep');
    const selector = selectorOf(preset);
    if (selector === 'Auto') return miningMode === 'power_tuning' || miningMode === 'hashrate_tuning';
    return selector === undefined ? sameTarget(miningModePreset, preset) : miningModePreset === selector;
  },
  shownWithinS: 120,
});

function targetFields(preset: string) {
  const target = parseTarget(preset);
  return target?.unit === 'W'
    ? { 'mode-select': 'PowerTarget', 'power-target': target.value }
    : { 'mode-select': 'Hashrate', 'hash-target': target?.value };
}

/** The whole configuration goes back. A yes that changed nothing is a refusal. */
async function change(
  link: MinerLink,
  what: string,
  config: Config,
  changes: { readonly 'work-mode-selector': string; readonly concorde?: Readonly<Record<string, unknown>> },
): Promise<ActResult> {
  const mode = { ...config.mode, ...changes };
  // Writing restarts the process: not for nothing.
  if (JSON.stringify(mode) === JSON.stringify(config.mode)) return SO_ALREADY;
  const result = await write(link, what, 'miner_config', { ...config, mode });
  if (result.kind === 'lost-reply') return result;
  const after = await modeNow(link);
  if (after === undefined || selectorOf(after['work-mode-selector']) === selectorOf(mode['work-mode-selector']))
    return result;
  const cause = new Error('the device says yes and keeps its mode');
  throw new PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause);
}

const changed = z.looseObject({ path: z.array(z.string()), from: z.string(), to: z.string() });
/** One object per change, oldest first: a time and what was changed then. */
const history = z.array(z.record(z.string(), z.array(z.unknown()).catch([])).catch({}));

/**
 * What it was when it was put to sleep, by any client. Where the history does not say: tuned, if a power is set that
 * it must not exceed, else stock.
 */
async function selectorBeforeSleep(link: MinerLink, { mode: { concorde } }: Config): Promise<string> {
  const entries = history.safeParse(await historyOf(link)).data ?? [];
  const moves = entries
    .flatMap((entry) => Object.values(entry).flat())
    .flatMap((entry) => changed.safeParse(entry).data ?? [])
    .filter(({ path, to }) => path.join('/').toLowerCase() === 'mode/workmodeselector' && isAsleep(to));
  const before = selectorOf(moves.at(-1)?.from ?? '');
  if (before !== undefined) return before;
  const hasLimit = concorde?.['mode-select'] === 'PowerTarget' && Number(concorde['power-target']) > 0;
  return hasLimit ? 'Auto' : 'Stock';
}

const HISTORY_LIMITS = { deadlineMs: 15_000, maxBytes: 1024 * 1024 } as const;

async function historyOf(link: MinerLink): Promise<unknown> {
  try {
    return await link.send(resource('log?type=miner_config_history'), HISTORY_LIMITS);
  } catch (error) {
    if (error instanceof PeerError) return undefined;
    throw error;
  }
}

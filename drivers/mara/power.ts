// Sleep, wake and tuning of MARA firmware (atlas 14): one word selects how it works, and its own history knows what it
// was before it slept.
import * as kit from '../../src/driver/kit/index.ts';
import { CONFIG, readConfig, resource, selectorIn, write } from './requests.ts';

const SELECTORS = ['Auto', 'Fixed', 'Stock'] as const;
const selectorOf = (text = '') => SELECTORS.find((name) => name.toLowerCase() === text.trim().toLowerCase());
const isAsleep = (selector = '') => selector.toLowerCase() === 'sleep';

/**
 * A preset is `Stock`, `Fixed`, `Auto` (tuned to the target that is set), or a target such as `3000 W` or `104 TH/s`.
 */
export const powerMode = kit.modesAndPresets({
  offlineS: [0, 60],
  async set(link, { mode, preset }) {
    const what = `set the mode ${preset ?? mode} on`;
    const target = kit.parseTarget(preset ?? '');
    const selector = selectorOf(preset) ?? (target && 'Auto');
    if (selector === undefined && mode !== 'sleep' && mode !== 'normal') throw kit.unsupported(link, what);
    const config = await readConfig(link, what);
    if (mode === 'normal') {
      if (!isAsleep(selectorIn(config)))
        return { kind: 'accepted', note: 'it was awake already; its tuning stays as it is' };
      const before = await selectorBeforeSleep(link, config);
      const result = await change(link, what, config, { 'work-mode-selector': before });
      return result.kind === 'accepted' ? { ...result, note: `woken as ${before}` } : result;
    }
    if (selector === undefined) return change(link, what, config, { 'work-mode-selector': 'Sleep' });
    if (target === undefined) return change(link, what, config, { 'work-mode-selector': selector });
    const concorde = config.at('mode', 'concorde');
    if (!concorde.isThere) throw kit.unsupported(link, what);
    return change(link, what, config, {
      'work-mode-selector': selector,
      concorde: { ...concorde.fields, ...targetFields(target) },
    });
  },
  shows({ miningMode, miningModePreset }, { mode, preset = '' }) {
    if (miningMode === undefined) return undefined;
    if (mode !== undefined) return (miningMode === 'sleep') === (mode === 'sleep');
    const selector = selectorOf(preset);
    if (selector === 'Auto') return miningMode === 'power_tuning' || miningMode === 'hashrate_tuning';
    return selector === undefined ? kit.sameTarget(miningModePreset, preset) : miningModePreset === selector;
  },
  shownWithinS: 120,
});

const targetFields = ({ unit, value }: kit.Target) =>
  unit === 'W'
    ? { 'mode-select': 'PowerTarget', 'power-target': value }
    : { 'mode-select': 'Hashrate', 'hash-target': value };

/** The whole configuration goes back. A yes that changed nothing is a refusal. */
async function change(
  link: kit.MinerLink,
  what: string,
  config: kit.Answer,
  changes: { readonly 'work-mode-selector': string; readonly concorde?: unknown },
): Promise<kit.ActResult> {
  const mode = { ...config.at('mode').fields, ...changes };
  // Writing restarts the process: not for nothing.
  if (JSON.stringify(mode) === JSON.stringify(config.value('mode'))) return kit.SO_ALREADY;
  const result = await write(link, what, 'miner_config', { ...config.fields, mode });
  if (result.kind === 'lost-reply') return result;
  const after = selectorIn(await kit.tryToAsk(link, CONFIG));
  if (after === undefined || selectorOf(after) === selectorOf(changes['work-mode-selector'])) return result;
  const cause = new Error('the device says yes and keeps its mode');
  throw new kit.PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause);
}

const HISTORY = resource('log?type=miner_config_history');
const LONG = { deadlineMs: 15_000, maxBytes: 1024 * 1024 };
const MOST_CHANGES = 10_000;

/**
 * What it was when it was put to sleep, by any client. Where the history does not say: tuned, if a power is set that
 * it must not exceed, else stock.
 */
async function selectorBeforeSleep(link: kit.MinerLink, config: kit.Answer): Promise<string> {
  // One object per change, oldest first: a time and what was changed then.
  const history = (await kit.tryToAsk(link, HISTORY, LONG)).rows(undefined, MOST_CHANGES) ?? [];
  const moves = history
    .flatMap((entry) => entry.keys().flatMap((time) => entry.rows(time) ?? []))
    .filter(
      (move) => /^mode\/workmodeselector$/i.test(move.list('path')?.join('/') ?? '') && isAsleep(move.text('to')),
    );
  const concorde = config.at('mode', 'concorde');
  const hasLimit = concorde.text('mode-select') === 'PowerTarget' && concorde.positive('power-target') !== undefined;
  return selectorOf(moves.at(-1)?.text('from')) ?? (hasLimit ? 'Auto' : 'Stock');
}

// Turns the answers of one VNish miner into a Reading (atlas 8). Versions before AnthillOS have TCP only; what the web
// tells goes before it.
import * as kit from '../../src/driver/kit/index.ts';
import { statsType } from '../_dialects/bitmain.ts';
import { stateOf } from './parts.ts';
import { pools } from './pools.ts';
import { readTcp } from './tcp.ts';
import { readWeb } from './web.ts';
import { ASLEEP, IDLE, MINING, PLATFORMS } from './words.data.ts';

type Ask = 'summary' | 'info' | 'status' | 'perf' | 'factory' | 'tcpPools' | 'tcpStats' | 'tcpSummary';

export function read(answers: Readonly<Record<Ask, kit.Answer>>, known: kit.Known): kit.Draft {
  const { summary, info, status, perf, tcpPools, tcpStats } = answers;
  const miner = summary.at('miner');
  // Older versions tell it beside the rest.
  const system = info.at('system').isThere ? info.at('system') : summary.at('system');
  const [onWeb, onTcp] = [miner.text('miner_type'), statsType(tcpStats)];
  const reported = kit.first(info.text('miner'), onWeb, onTcp, known.model);
  const row = modelOf(reported);
  const [web, tcp] = [readWeb(answers, row), readTcp(tcpStats, answers.tcpSummary, row)];
  const hashrateHs = web.draft.hashrateHs ?? tcp.draft.hashrateHs;
  const beside = stateOf(status, 'miner_state');
  const now = stateOf(miner.at('miner_status'), 'miner_state') || tcp.state;
  const state = now || (ASLEEP.includes(beside) ? beside : '');
  const preset = perf.at('current_preset').text('name', 64);
  const mode = miningMode(state || beside, (hashrateHs ?? 0) > 0, preset);
  // The factory's own rate counts only where no preset is set.
  const factoryHs = mode === 'normal' ? (web.stockHs ?? row?.expected.hashrateHs) : undefined;
  const platform = info.text('platform', 16);
  return {
    ...kit.present(tcp.draft),
    hashrateWindow: web.draft.hashrateHs === undefined ? tcp.draft.hashrateWindow : 'realtime',
    ...kit.present(web.draft),
    mac: system.at('network_status').asWritten('mac'),
    serialNumber: info.asWritten('serial'),
    hostname: system.at('network_status').text('hostname'),
    model: row?.model ?? reported,
    firmwareVersion: kit.first(info.text('fw_version'), versionIn(onTcp), versionIn(onWeb)),
    controlBoard: PLATFORMS[platform ?? ''] ?? platform,

    powerLimitW: presetWatts(preset, info),
    // `10 days, 18:00`, `1:05`, `12 min`.
    systemUptimeS: kit.uptimeWordsS(`up ${system.text('uptime', 64) ?? ''}`),
    isMining: summary.value('miner') === null ? false : isMining(state, hashrateHs),
    miningMode: mode,
    miningModePreset: preset,
    isLightOn: status.bool('find_miner'),

    pools: pools(miner, tcpPools),
    expected: {
      ...kit.withOwnBuild(row?.expected, { fans: web.fanCount ?? tcp.fanCount }),
      ...kit.present({ cooling: web.draft.expected?.cooling }),
      hashrateHs: kit.first(web.draft.expected?.hashrateHs, tcp.draft.expected?.hashrateHs, factoryHs),
    },
  };
}

/** `Antminer S19j Pro (Vnish 1.2.6)`. */
export function modelOf(reported: string | undefined): kit.Model | undefined {
  if (reported === undefined) return undefined;
  const names = [reported, `Antminer ${reported}`];
  return kit.knownModel('vnish', ...names).row ?? kit.knownModel('antminer-stock', ...names).row;
}

const versionIn = (type: string | undefined) => /vnish\s+v?(\d[\w.-]*)/i.exec(type ?? '')?.[1];

/** The word for what it does, and the rate beside it; a word that is not known says nothing. */
function isMining(state: string, nowHs: number | undefined): boolean | undefined {
  if (IDLE.includes(state)) return false;
  if (nowHs !== undefined) return nowHs > 0;
  return MINING.includes(state) ? true : undefined;
}

/** A preset is no mode of ours, and what is set holds for one that is awake. */
function miningMode(state: string, isHashing: boolean, preset = ''): kit.Draft['miningMode'] {
  if (ASLEEP.includes(state)) return 'sleep';
  return preset.toLowerCase() === 'disabled' && (state !== '' || isHashing) ? 'normal' : undefined;
}

/** Presets of SHA-256 machines are named by their watts, those of others are not. */
const presetWatts = (preset = '', info: kit.Answer): number | undefined =>
  kit.rateUnit(info.text('hr_measure', 16)) === 'G' && /^\d{2,5}$/.test(preset.trim()) ? Number(preset) : undefined;

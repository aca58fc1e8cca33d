// What all copies of Bitmain's firmware are asked, and what their answers say in the same words. A driver spreads both
// and writes over them what its machines mean in another way.
import * as kit from '../../src/driver/kit/index.ts';
import type { Stats } from './bitmain.ts';
import { expectation } from './bitmain-expectation.ts';
import { fansOf } from './bitmain-fans.ts';
import { controlBoard, isBlinking, page, statusFaults } from './bitmain-web.ts';

/** On TCP. */
export const TCP_ASKS = {
  stats: { every: 'poll', ...kit.tcp('stats') },
  pools: { every: 'slow', ...kit.tcp('pools') },
  version: { every: 'static', ...kit.tcp('version') },
} as const;

/** Pages of the web of 2020. */
export const PAGES = {
  summary: { every: 'slow', ...page('summary.cgi') },
  conf: { every: 'slow', ...page('get_miner_conf.cgi') },
  blink: { every: 'slow', ...page('get_blink_status.cgi') },
  system: { every: 'static', ...page('get_system_info.cgi') },
} as const;

/** Those that a driver asks. */
type Answers = Partial<Readonly<Record<'version' | 'pools' | 'summary' | 'blink' | 'system', kit.Answer>>>;
type Machine = { readonly expected?: kit.Expectation | undefined; readonly mode?: kit.Reading['miningMode'] };

const NONE = new kit.Answer(undefined);

export const bitmainReading = (
  stats: Stats,
  { version = NONE, pools = NONE, summary = NONE, blink = NONE, system = NONE }: Answers,
  { expected, mode }: Machine = {},
) =>
  ({
    mac: system.asWritten('macaddr'),
    hostname: system.name('hostname'),
    apiVersion: version.row('VERSION').text('API'),
    controlBoard: controlBoard(undefined, system.text('system_kernel_version')),

    hashrateHs: stats.nowHs,
    hashrateWindow: '5s',
    hashrateSettledHs: stats.settledHs,
    hashrateAverageHs: stats.averageHs,
    powerW: stats.powerW,
    uptimeS: stats.elapsedS,
    deviceTimeS: stats.whenS,

    ...(mode === 'sleep' ? { isMining: false } : stats.isHashing !== undefined && { isMining: stats.isHashing }),
    miningMode: mode,
    isLightOn: isBlinking(blink),

    boards: stats.boards?.map(({ reading }) => reading),
    fans: fansOf(stats, expected),
    pools: kit.cgminerPools(pools),
    errors: statusFaults(summary),
    expected: expectation(expected, stats, mode),
  }) satisfies kit.Draft;

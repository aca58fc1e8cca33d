// Turns the answers of one FutureBit Apollo into a Reading. Each unit that stands beside it is a board of its own.
import * as kit from '../../src/driver/kit/index.ts';

type Answers = { readonly stats: kit.Answer; readonly host: kit.Answer };

export const hostOf = (answer: kit.Answer) => answer.at('data', 'Mcu', 'stats', 'result', 'stats');

export function read({ stats, host }: Answers, known: kit.Known): kit.Draft {
  const miner = stats.at('data', 'Miner');
  const result = miner.at('stats', 'result');
  const units = result.rows('stats', 16);
  const main = result.row('stats');
  const state = stateOf(miner.at('online', 'result', 'online'));
  // The generation is told as `v2`; the name, where there is one, says more.
  const name = main.text('version')?.replace(/^v([123])$/i, 'APOLLO $1');
  const { row, expected } = kit.knownModel('futurebit', name, known.model);
  const sum = (of: (unit: kit.Answer) => number | undefined) => kit.sumOfAll(units?.map(of) ?? []);
  const hashrateHs = sum(rateHs);
  return {
    mac: macOf(hostOf(host).rows('network', 32)),
    serialNumber: main.row('slaves').asWritten('uid'),
    hostname: hostOf(host).text('hostname'),
    model: row?.model ?? known.model,
    firmwareVersion: main.at('versions').text('miner'),
    apiVersion: main.text('statVersion'),

    hashrateHs,
    hashrateWindow: 'realtime',
    hashrateSettledHs: kit.positive(hashrateHs) && sum(settledHs),
    hashrateAverageHs: sum((unit) => sinceStart(unit).rateHs('bySol', 'G')),
    powerW: sum((unit) => unit.at('master').watts('boardsW')),
    uptimeS: main.at('master').seconds('upTime'),

    ...(hashrateHs === undefined && (state === 'offline' || state === 'error') && { isMining: false }),
    miningMode: modeOf(state, hashrateHs),
    boards: units?.map(board),
    fans: kit.fansOf(units?.flatMap(speedsOf), Number.POSITIVE_INFINITY),
    pools: poolsOf(main.at('pool')),
    errors: state && (state === 'error' ? [STOPPED] : []),
    expected: { ...expected, boards: kit.positive(units?.length) ?? expected.boards },
  };
}

const STOPPED = { code: 'status:error', message: 'the miner has stopped by a fault', category: 'software' } as const;

const rateHs = (unit: kit.Answer) => unit.at('slots', 'int_0').rateHs('ghs', 'G');
const sinceStart = (unit: kit.Answer) => unit.at('master', 'intervals', 'int_0');

const FULL_S = 850;

/** The intervals go on telling an old rate after a stop, and a shorter one before they are full. */
function settledHs(unit: kit.Answer): number | undefined {
  const quarter = unit.at('master', 'intervals', 'int_900');
  return (quarter.seconds('interval') ?? 0) >= FULL_S ? quarter.rateHs('bySol', 'G') : undefined;
}

const WORDS = ['online', 'offline', 'pending', 'error'] as const;
type State = (typeof WORDS)[number];

/** A boolean on older builds, a word on newer ones. */
function stateOf(online: kit.Answer): State | undefined {
  const isOn = online.bool('status');
  return isOn === undefined ? online.word('status', WORDS) : isOn ? 'online' : 'offline';
}

/**
 * Off is what `stop` leaves behind; on is what the device calls normal. What hashes does not sleep, whatever the status
 * says.
 */
function modeOf(state: State | undefined, hashrateHs: number | undefined): 'sleep' | 'normal' | undefined {
  if (state === 'offline') return kit.positive(hashrateHs) === undefined ? 'sleep' : undefined;
  return state === 'online' || state === 'pending' ? 'normal' : undefined;
}

function board(unit: kit.Answer, slot: number): kit.BoardDraft | undefined {
  const hashing = unit.at('slots', 'int_0');
  if (!hashing.isThere) return undefined;
  return {
    slot,
    serialNumber: unit.row('slaves').asWritten('uid'),
    hashrateHs: rateHs(unit),
    chips: hashing.count('chips', 100_000),
    boardTempsC: [hashing.tempC('temperature'), hashing.tempC('temperature1')],
    hwErrors: sinceStart(unit).count('errors'),
  };
}

/** A list, one speed per fan; a single one stands alone. */
const speedsOf = (unit: kit.Answer) => {
  const fans = unit.at('fans', 'int_0');
  return fans.list('rpm', 8) ?? [fans.value('rpm')];
};

/** Only the pool in use is told; which are set beside it is not. */
function poolsOf(pool: kit.Answer): kit.PoolDraft[] | undefined {
  const host = pool.text('host', 500);
  if (host === undefined) return undefined;
  const shares = pool.at('intervals', 'int_0');
  const inService = shares.number('inService', { min: 0 });
  return [
    {
      index: 0,
      url: kit.poolUrl(host, pool.int('port', { min: 1, max: 65_535 })),
      user: pool.text('userName', 512) ?? '',
      isActive: inService === undefined ? undefined : inService > 0,
      accepted: shares.count('sharesAccepted'),
      rejected: shares.count('sharesRejected'),
      difficulty: pool.positive('diff', 1e30),
    },
  ];
}

/** The cable before the radio; addresses that identify nothing belong to interfaces that are not real. */
function macOf(network: readonly kit.Answer[] | undefined): string | undefined {
  const real = network?.filter((row) => kit.macState(row.asWritten('mac')) === 'ok');
  return (real?.find((row) => row.text('name') === 'eth0') ?? real?.[0])?.asWritten('mac');
}

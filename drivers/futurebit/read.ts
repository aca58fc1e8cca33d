// Turns the answers of one FutureBit Apollo into a Reading. Each unit that stands beside it is a board of its own.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, sumOfAll } from '../../src/driver/fields.ts';
import { findModel } from '../../src/driver/kit/models/models.ts';
import { macState } from '../../src/model/identity-facts.ts';
import type { BoardReading, FanReading, MiningMode, PoolReading, Reading } from '../../src/model/reading.ts';
import { positive, present, rateHs } from '../_dialects/cgminer.ts';
import { unlessEmpty } from '../_dialects/empty-list.ts';
import type { Replies, Unit } from './replies.ts';

export function read(replies: Replies, known: Known): Reading {
  const miner = replies.stats?.data.Miner;
  const units = miner?.stats?.result?.stats;
  const main = units?.[0];
  const state = stateOf(miner?.online?.result?.online?.status);
  const host = replies.host?.data.Mcu.stats.result.stats;
  const row = findModel('futurebit', modelWord(main)) ?? findModel('futurebit', known.model);
  const boards = units?.flatMap(boardOf);
  const hashrateHs = sumOfAll(units?.map(({ slots }) => rateHs(slots?.int_0?.ghs, 'G')) ?? []);
  return present({
    mac: macOf(host?.network),
    serialNumber: main?.slaves?.[0]?.uid,
    hostname: host?.hostname,
    make: 'FutureBit',
    model: first(row?.model, known.model),
    firmwareVersion: main?.versions?.miner,
    apiVersion: main?.statVersion,
    hashrateHs,
    hashrateWindow: hashrateHs === undefined ? undefined : ('realtime' as const),
    hashrateSettledHs: positive(hashrateHs) && sumOfAll(units?.map(settledHs) ?? []),
    hashrateAverageHs: sumOfAll(units?.map(({ master }) => rateHs(master?.intervals?.int_0?.bySol, 'G')) ?? []),
    powerW: sumOfAll(units?.map(({ master }) => positive(master?.boardsW)) ?? []),
    uptimeS: main?.master?.upTime,
    isMining: hashrateHs !== undefined ? hashrateHs > 0 : state === 'off' || state === 'fault' ? false : undefined,
    miningMode: modeOf(state, hashrateHs),
    tempC: largest(boards?.flatMap((board) => board.boardTempsC ?? []) ?? []),
    // A machine of this maker may be a node alone, without a unit that hashes.
    boards: unlessEmpty(boards),
    fans: units && unlessEmpty(fansOf(units)),
    pools: main && poolsOf(main),
    errors: errorsOf(state),
    expected: present({ ...row?.expected, boards: positive(units?.length) ?? row?.expected.boards }),
  });
}

/** The generation is told as `v2`; the name, where there is one, says more. */
function modelWord(unit: Unit | undefined): string | undefined {
  if (findModel('futurebit', unit?.version)) return unit?.version;
  const [, generation] = unit?.version?.match(/^v([123])$/i) ?? [];
  return generation && `APOLLO ${generation}`;
}

/** The intervals go on telling an old rate after a stop, and a shorter one before they are full. */
function settledHs({ master }: Unit): number | undefined {
  const { interval, bySol } = master?.intervals?.int_900 ?? {};
  return interval !== undefined && interval >= FULL_S ? rateHs(bySol, 'G') : undefined;
}
const FULL_S = 850;

type State = 'on' | 'off' | 'starting' | 'fault';

function stateOf(status: boolean | string | undefined): State | undefined {
  if (typeof status === 'boolean') return status ? 'on' : 'off';
  switch (status?.trim().toLowerCase()) {
    case 'online':
    case 'true':
      return 'on';
    case 'offline':
    case 'false':
      return 'off';
    case 'pending':
      return 'starting';
    case 'error':
      return 'fault';
    default:
      return undefined;
  }
}

/**
 * Off is what `stop` leaves behind; on is what the device calls normal. What hashes does not sleep, whatever the status
 * says.
 */
function modeOf(state: State | undefined, hashrateHs: number | undefined): MiningMode | undefined {
  if (state === 'off') return positive(hashrateHs) === undefined ? 'sleep' : undefined;
  return state === 'on' || state === 'starting' ? 'normal' : undefined;
}

const errorsOf = (state: State | undefined): Reading['errors'] =>
  state === undefined
    ? undefined
    : state === 'fault'
      ? [{ code: 'status:error', message: 'the miner has stopped by a fault', category: 'software' }]
      : [];

function boardOf({ slots, slaves, master }: Unit, slot: number): BoardReading[] {
  const state = slots?.int_0;
  if (state === undefined) return [];
  const temps = [state.temperature, state.temperature1].filter((tempC) => tempC !== undefined);
  return [
    present({
      slot,
      serialNumber: slaves?.[0]?.uid,
      hashrateHs: rateHs(state.ghs, 'G'),
      chips: state.chips,
      boardTempsC: temps.length === 0 ? undefined : temps,
      hwErrors: master?.intervals?.int_0?.errors,
    }),
  ];
}

const fansOf = (units: readonly Unit[]): FanReading[] =>
  units
    .flatMap(({ fans }) => fans?.int_0?.rpm ?? [undefined])
    .flatMap((rpm, index) => (rpm === undefined ? [] : [{ index, rpm }]));

/** Only the pool in use is told; which are set beside it is not. */
function poolsOf({ pool }: Unit): PoolReading[] | undefined {
  if (pool?.host === undefined) return undefined;
  const bare = pool.host.replace(/^stratum\+tcp:\/\//i, '');
  const address = pool.port === undefined || /:\d+$/.test(bare) ? bare : `${bare}:${pool.port}`;
  const { sharesAccepted, sharesRejected, inService } = pool.intervals?.int_0 ?? {};
  return [
    present({
      index: 0,
      url: address.includes('://') ? address : `stratum+tcp://${address}`,
      user: pool.userName ?? '',
      isActive: inService === undefined ? undefined : inService > 0,
      accepted: sharesAccepted,
      rejected: sharesRejected,
      difficulty: positive(pool.diff),
    }),
  ];
}

/** The cable before the radio; addresses that identify nothing belong to interfaces that are not real. */
function macOf(
  network: readonly { readonly name?: string | undefined; readonly mac?: string | undefined }[] | undefined,
) {
  const real = network?.filter(({ mac }) => macState(mac) === 'ok');
  return (real?.find(({ name }) => name === 'eth0') ?? real?.[0])?.mac;
}

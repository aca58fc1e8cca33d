// Facts from TCP 4433, API 3 (atlas 4.3): TH/s rates; board serial numbers and board temperatures stand apart from the
// boards and join by number.
import { first, scale, toText } from '../../src/driver/fields.ts';
import { setPools } from '../../src/driver/kit/pool-rows.ts';
import type { BoardReading, PoolReading, PsuReading } from '../../src/model/reading.ts';
import { poolIsAlive, positive, present, rateHs } from '../_dialects/cgminer.ts';
import { faultsOf } from './errors.ts';
import { boardsTold, type Facts, mainsV, modeOf, powerMode, SET_CLOCK_S } from './facts.ts';
import { down, type Replies, type Status3Board } from './replies.ts';

type Message<T> = Exclude<T, string | undefined>;
type Info = Message<NonNullable<Replies['info3']>['msg']>;
type Summary = Message<NonNullable<Replies['summary3']>['msg']>['summary'];

/** Undefined when nothing was answered on 4433. */
export function factsFromApi3({ info3, summary3, edevs3, pools3 }: Replies): Facts | undefined {
  if ([info3, summary3, edevs3, pools3].every((answer) => answer === undefined)) return undefined;
  const info = data(info3?.msg);
  const summary = data(summary3?.msg)?.summary;
  const { miner, network, power, system } = info ?? {};
  const live = rateHs(summary?.['hash-realtime'], 'T');
  const minute = rateHs(summary?.['hash-1min'], 'T');
  return {
    reading: present({
      mac: network?.mac,
      hostname: network?.hostname,
      serialNumber: miner?.['miner-sn'],
      firmwareVersion: system?.fwversion,
      apiVersion: system?.api,
      controlBoard: controlBoard(system),
      hashrateHs: live ?? minute,
      hashrateWindow: live !== undefined ? ('realtime' as const) : minute !== undefined ? ('1m' as const) : undefined,
      hashrateSettledHs: rateHs(summary?.['hash-15min'], 'T'),
      hashrateAverageHs: rateHs(summary?.['hash-average'], 'T'),
      powerLimitW: summary?.['power-limit'] || undefined,
      uptimeS: summary?.elapsed,
      deviceTimeS: (summary3?.when ?? 0) >= SET_CLOCK_S ? summary3?.when : undefined,
      isLightOn: system?.ledstatus === undefined ? undefined : system.ledstatus.toLowerCase() !== 'auto',
      inletTempC: summary?.['environment-temperature'],
      boards: boardsTold(data(edevs3?.msg)?.edevs, (row, place) => board(row, place, summary, miner)),
      psus: psus(power),
      pools: pools(pools3),
    }),
    reportedModel: miner?.type,
    factoryHs: rateHs(summary?.['factory-hash'], 'T'),
    ownBoards: miner?.['board-num'],
    powerW: first(summary?.['power-realtime'], summary?.['power-5min']),
    fanInRpm: summary?.['fan-speed-in'],
    fanOutRpm: summary?.['fan-speed-out'],
    isLiquid: power?.['liquid-temperature'] === undefined ? undefined : true,
    faults: faultsOf(info?.['error-code']),
    isOff: miner?.working === undefined ? undefined : !miner.working,
    isDown: [info3?.msg, summary3?.msg, edevs3?.msg, info?.['error-code']].some((msg) => down.safeParse(msg).success),
    mode: powerMode(summary?.['power-mode']) ?? modeOf(power?.mode),
    chipMaxC: summary?.['chip-temp-max'],
  };
}

/** A text in place of an object says that the mining process is down. */
function data<T>(msg: T | string | undefined): T | undefined {
  return typeof msg === 'string' ? undefined : msg;
}

/** Board first, then the processor: `CB6V10 / H616`. */
function controlBoard(system: Info['system']): string | undefined {
  const names = [system?.['control-board-version'], system?.platform].filter((name) => name !== undefined);
  return names.length === 0 ? undefined : names.join(' / ').slice(0, 256);
}

function board(row: Status3Board, place: number, summary: Summary | undefined, miner: Info['miner']): BoardReading[] {
  const slot = first(row.slot, row.id, place) ?? place;
  const hashrateHs = first(rateHs(row['hash-realtime'], 'T'), rateHs(row['hash-average'], 'T'));
  const serialNumber = toText(miner?.[`pcbsn${slot}`]);
  const chips = row['effective-chips'];
  if (!hashrateHs && serialNumber === undefined && !chips) return [];
  const boardTempC = summary?.['board-temperature']?.[slot];
  const status = row.status?.toLowerCase();
  return [
    present({
      slot,
      serialNumber,
      hashrateHs,
      expectedHashrateHs: rateHs(row['factory-hash'], 'T'),
      chips,
      frequencyMhz: positive(row.freq),
      boardTempsC: boardTempC === undefined ? undefined : [boardTempC],
      chipTempMaxC: row['chip-temp-max'],
      chipTempAvgC: row['chip-temp-avg'],
      isAlive: status === 'alive' ? true : status === 'dead' ? false : undefined,
    }),
  ];
}

function psus(power: Info['power']): PsuReading[] | undefined {
  const reading = present({
    serialNumber: power?.sn,
    model: power?.model ?? power?.type,
    tempC: power?.temp0,
    fanRpm: power?.fanspeed,
    inputVoltageV: mainsV(power?.vin),
    outputVoltageV: scale(power?.vout, 0.01),
  });
  return Object.keys(reading).length === 0 ? undefined : [reading];
}

/** This API counts no shares: absent, not 0. */
function pools(answer: Replies['pools3']): PoolReading[] | undefined {
  return setPools(
    data(answer?.msg)?.pools,
    ({ url }) => url,
    (row, url, place): PoolReading =>
      present({
        index: row.id ?? place,
        url,
        user: row.account ?? '',
        isAlive: poolIsAlive(row.status),
        isActive: row['stratum-active'],
      }),
  );
}

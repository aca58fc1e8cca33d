// Turns the answers of one VolcMiner into a Reading. It has no modes, no light that can be read, no faults of its own and no power meter.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest } from '../../src/driver/fields.ts';
import type { BoardReading, FanReading, Reading } from '../../src/model/reading.ts';
import { BITMAIN, toBoard } from '../_families/bitmain.ts';
import { controlBoard, webPools } from '../_families/bitmain-web.ts';
import { whichBlackMiner } from '../_families/black-miner.ts';
import { present } from '../_families/cgminer.ts';
import type { Replies } from './replies.ts';

type Status = NonNullable<Replies['status']>;

export function read({ status, system }: Replies, known: Known): Reading {
  const device = whichBlackMiner(
    system?.minertype,
    system?.hostname,
    known.model && `${known.make ?? 'VolcMiner'} ${known.model}`,
  );
  const boards = status?.devs && boardsOf(status.devs);
  const nowHs = status?.summary?.ghs5s;
  return present({
    mac: system?.macaddr,
    hostname: system?.hostname,
    make: device?.make ?? (system?.minertype === undefined ? 'VolcMiner' : undefined),
    model: first(device?.model, system?.minertype),
    firmwareVersion: system?.system_filesystem_version,
    controlBoard: controlBoard(undefined, system?.system_kernel_version),

    hashrateHs: nowHs,
    hashrateWindow: nowHs === undefined ? undefined : ('5s' as const),
    hashrateAverageHs: status?.summary?.ghsav,
    uptimeS: status?.summary?.elapsed,

    isMining: nowHs === undefined ? undefined : nowHs > 0,
    miningMode: nowHs === undefined ? undefined : ('normal' as const),

    tempC: first(
      largest(boards?.map((board) => board.chipTempMaxC) ?? []),
      largest(boards?.flatMap((board) => board.boardTempsC ?? []) ?? []),
    ),
    boards,
    fans: status && fansOf(status),
    pools: webPools(status?.pools),
    expected: device?.row?.expected,
  });
}

/** Chains count from 1; one without chips is an empty place. */
function boardsOf(devs: NonNullable<Status['devs']>): BoardReading[] {
  const base = devs.some(({ index }) => index === 0) ? 0 : 1;
  const boards = devs.flatMap((dev, place) => {
    const { slot, reading } = toBoard(dev.index === undefined ? place : dev.index - base, BITMAIN, {
      chips: dev.chain_acn,
      map: dev.chain_acs,
      serial: undefined,
      rateHs: dev.rate,
      idealHs: undefined,
      frequency: dev.freq,
      hw: undefined,
      pcb: dev.temp,
      chip: dev.temp2,
      pic: undefined,
    });
    return (reading.chips ?? 0) > 0 || (reading.hashrateHs ?? 0) > 0 ? [{ slot, ...reading }] : [];
  });
  return boards.filter(({ slot }, place) => boards.findIndex((other) => other.slot === slot) === place);
}

/** All machines write four, and those without a fan write 0. How many there must be, the model says. Undefined when none is written. */
function fansOf({ fan1, fan2, fan3, fan4 }: Status): FanReading[] | undefined {
  const slots = [fan1, fan2, fan3, fan4];
  if (slots.every((rpm) => rpm === undefined)) return undefined;
  return slots.flatMap((rpm, index) => (rpm !== undefined && rpm > 0 ? [{ index, rpm }] : []));
}

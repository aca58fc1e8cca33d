// The present state of a simulated Iceriver in the numbers that its firmware prints. The pages and the truth read
// these, so they agree.
import type { SimDevice } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { Truth } from '../_farm/truth.ts';
import { uncounted, whoIs } from '../_farm/truth-parts.ts';
import type { IceriverModel } from './farm.data.ts';

type IceriverBoard = {
  readonly slot: number;
  readonly isDead: boolean;
  readonly ghs: number;
  readonly idealGhs: number;
  readonly inC: number;
  readonly outC: number;
};

export type IceriverFacts = {
  readonly boards: readonly IceriverBoard[];
  /** As printed, in the unit of the model. */
  readonly pow: number;
  readonly averagePow: number;
  readonly isHashing: boolean;
  readonly hasPool: boolean;
  readonly areFansOk: boolean;
  readonly isCool: boolean;
  readonly fans: readonly number[];
};

/** Where the firmware finds a board too hot. */
const HOT_C = 85;
const UNITS = { G: 1e9, T: 1e12 } as const;

export function iceriverFacts(device: SimDevice, model: IceriverModel): IceriverFacts {
  const body = device.body();
  const boards = body.boards.map((board): IceriverBoard => {
    const inC = Math.round(board.boardC - (board.isDead ? 0 : 20));
    return {
      slot: board.slot,
      isDead: board.isDead,
      ghs: round(board.hashrateHs / 1e9, 2),
      idealGhs: idealGhs(model, body.expectedHs),
      inC,
      outC: Math.round(board.boardC),
    };
  });
  const pow = boards.reduce((sum, { ghs }) => sum + ghs * 1e9, 0) / UNITS[model.unit];
  const digits = model.unit === 'T' ? 2 : 0;
  return {
    boards,
    pow: round(pow, digits),
    averagePow: round(pow * body.averageFactor, digits),
    isHashing: pow > 0,
    hasPool: !device.faults.has('pool-dead'),
    areFansOk: model.fans === model.fanPlaces && body.fansRpm.every((rpm) => rpm > 0),
    isCool: boards.every(({ outC }) => outC < HOT_C),
    fans: Array.from({ length: model.fanPlaces }, (_, index) => body.fansRpm[index] ?? 0),
  };
}

function idealGhs(model: IceriverModel, expectedHs: number): number {
  switch (model.ideal) {
    case 'board':
      return round(expectedHs / 1e9 / model.boards, 2);
    case 'chip':
      return round(expectedHs / 1e9 / model.boards / model.chipsPerBoard / 4, 2);
    case 'zero':
      return 0;
  }
}

export function iceriverTruth(device: SimDevice, model: IceriverModel): Truth {
  const facts = iceriverFacts(device, model);
  const isHomeMachine = model.fans !== model.fanPlaces;
  const idealHs = facts.boards.reduce((sum, board) => sum + board.idealGhs * 1e9, 0);
  return {
    ...whoIs(device, model),
    serial_number: null,
    firmware_version: model.softver1,
    hostname: device.settings.hostname,
    is_mining: facts.isHashing,
    mining_mode: device.settings.mode === 'sleep' ? 'sleep' : 'normal',
    hashrate: facts.pow * UNITS[model.unit],
    expected_hashrate: model.ideal === 'board' ? idealHs : model.nameplateHs,
    power: null,
    temp: Math.max(...facts.boards.flatMap(({ inC, outC }) => [inC, outC])),
    uptime: device.uptimeS(),
    hashboards: facts.boards.map(({ ghs }) => ({
      serial_number: null,
      hashrate: ghs * 1e9,
      chips: model.chipsPerBoard,
      chip_frequency: model.frequencyMhz,
    })),
    fans: facts.fans.flatMap((rpm, index) => (isHomeMachine && rpm === 0 ? [] : [{ index, rpm }])),
    pools: uncounted(device.settings.pools),
    psus: [],
    errors: [
      ...(facts.hasPool ? [] : [{ code: 'netstate' }]),
      ...(facts.areFansOk || isHomeMachine ? [] : [{ code: 'fanstate' }]),
      ...(facts.isCool ? [] : [{ code: 'tempstate' }]),
    ],
    light_on: device.settings.isLightOn,
  };
}

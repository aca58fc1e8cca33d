// The present state of a simulated Sealminer in the numbers that its firmware prints. Both servers and the truth read
// these, so they agree.
import type { PoolSetting, SimDevice } from '../_farm/device.ts';
import { serialOf } from '../_farm/identity.ts';
import { round } from '../_farm/noise.ts';
import { type Mode, sensorC } from '../_farm/physics.ts';
import type { Truth } from '../_farm/truth.ts';
import { firstCounted, turning, whoIs } from '../_farm/truth-parts.ts';
import type { SealminerModel } from './farm.data.ts';

/** What both servers share and no answer tells while it sleeps. */
export type SealminerMemory = {
  awake: Exclude<Mode, 'sleep'>;
  poolsAfterReboot: readonly PoolSetting[] | undefined;
  limitAfterReboot: number | undefined;
};

type SealminerBoard = {
  readonly isOnline: boolean;
  readonly mhs: number;
  readonly serial: string;
  readonly temps: readonly number[];
};

type SealminerFacts = {
  readonly boards: readonly SealminerBoard[];
  readonly sampleMhs: number;
  readonly minuteMhs: number;
  readonly averageMhs: number;
  readonly ratedMhs: number;
  readonly boardIdealMhs: number;
  readonly idealMhs: number;
  readonly state: 'Running' | 'Suspended' | 'Starting';
  readonly errorCode: string;
  readonly psuError: string;
  readonly psuSerial: string;
  readonly psuC: number;
};

/** A board that died stays on the list with its serial number, off line, without chips and sensors. */
export function sealminerFacts(device: SimDevice): SealminerFacts {
  const body = device.body();
  const { mode } = device.settings;
  const { seed } = device.site;
  const boards = body.boards.map((board): SealminerBoard => {
    const max = board.chipMaxC;
    return {
      isOnline: !board.isDead,
      mhs: round(board.hashrateHs / 1e6, 2),
      serial: serialOf('S1246', 2, seed, device.index, board.slot),
      temps: board.isDead ? [0, 0, 0, 0] : [15, 18, 0, 1].map((belowC) => sensorC(body.inletC, max, belowC)),
    };
  });
  const sampleMhs = boards.reduce((sum, board) => sum + board.mhs, 0);
  const boardIdealMhs = mode === 'sleep' ? 0 : round(body.expectedHs / boards.length / 1e6, 2);
  return {
    boards,
    sampleMhs,
    // Not the sum of the samples: those are of another moment.
    minuteMhs: round(sampleMhs * (1 + (body.averageFactor - 1) / 2), 2),
    averageMhs: round(sampleMhs * body.averageFactor, 2),
    ratedMhs: device.spec.hashrateHs / 1e6,
    boardIdealMhs,
    idealMhs: round(boardIdealMhs * boards.filter(({ isOnline }) => isOnline).length, 2),
    state: mode === 'sleep' ? 'Suspended' : body.isHashing ? 'Running' : 'Starting',
    errorCode: device.faults.text('vendor-error', 'E0204') ?? '',
    psuError: device.faults.has('psu-fault') ? '0x00000040' : '0x00000000',
    psuSerial: serialOf('PSU', 3, seed, device.index, 9),
    psuC: Math.round(body.inletC + 14),
  };
}

export function sealminerSerial(device: SimDevice): string {
  return serialOf('S1272', 2, device.site.seed, device.index, 7);
}

export function sealminerTruth(device: SimDevice, model: SealminerModel): Truth {
  const facts = sealminerFacts(device);
  const body = device.body();
  const { mode } = device.settings;
  return {
    ...whoIs(device, model),
    serial_number: sealminerSerial(device),
    firmware_version: model.firmware,
    hostname: null,
    is_mining: facts.state !== 'Suspended' && facts.minuteMhs > 0,
    mining_mode: mode,
    hashrate: facts.minuteMhs * 1e6,
    expected_hashrate: (mode === 'low' || mode === 'high' ? facts.idealMhs : facts.ratedMhs) * 1e6,
    power: body.powerW,
    temp: Math.max(...facts.boards.flatMap((board) => (board.isOnline ? board.temps : []))),
    uptime: device.uptimeS(),
    hashboards: facts.boards.map((board) => ({
      serial_number: board.serial,
      hashrate: board.mhs * 1e6,
      chips: board.isOnline ? model.chipsPerBoard : 0,
      chip_frequency: board.isOnline ? model.frequencyMhz : null,
    })),
    fans: turning(body.fansRpm),
    pools: firstCounted(device),
    psus: [{ serial_number: facts.psuSerial, temperature: facts.psuC }],
    errors: [
      ...(facts.errorCode === '' ? [] : [{ code: facts.errorCode }]),
      ...(Number(facts.psuError) === 0 ? [] : [{ code: `psu:${facts.psuError}` }]),
    ],
    light_on: device.settings.isLightOn,
  };
}

// The present state of a simulated Elphapex in the numbers that its firmware prints. Its pages and the truth read
// these, so they agree.
import { type AntminerPool, poolFacts, statusFacts, type WebStatus } from '../_farm/bitmain/facts.ts';
import type { SimDevice } from '../_farm/device.ts';
import { serialOf } from '../_farm/identity.ts';
import { round } from '../_farm/noise.ts';
import type { Truth } from '../_farm/truth.ts';
import { turning, uncounted, whoIs } from '../_farm/truth-parts.ts';
import type { ElphapexModel } from './farm.data.ts';

type ElphapexBoard = {
  readonly slot: number;
  readonly isPresent: boolean;
  readonly mhs: number;
  readonly serial: string;
  /** Thousandths of a degree. */
  readonly chipMilliC: readonly number[];
};

export type ElphapexFacts = {
  readonly boards: readonly ElphapexBoard[];
  readonly mhs: number;
  readonly averageMhs: number;
  readonly idealMhs: number;
  readonly boardIdealMhs: number;
  readonly fans: readonly number[];
  readonly elapsedS: number;
  readonly pools: readonly AntminerPool[];
  readonly status: readonly WebStatus[];
  readonly serial: string;
  readonly powerSerial: string;
  readonly powerW: number;
  /** Tenths of a degree. */
  readonly powerDeciC: number;
};

/** A board that died has left the bus. */
export function elphapexFacts(device: SimDevice, model: ElphapexModel): ElphapexFacts {
  const body = device.body();
  const { seed } = device.site;
  const boards = body.boards.map((board, place): ElphapexBoard => {
    const milli = Math.round(board.chipMaxC * 1_000);
    return {
      slot: model.slots[place] ?? place,
      isPresent: !board.isDead,
      mhs: round(board.hashrateHs / 1e6, 2),
      serial: serialOf('10HY24B046', 4, seed, device.index, board.slot),
      chipMilliC: [milli - 125, milli, milli - 250, milli - 187],
    };
  });
  const sumMhs = boards.reduce((sum, board) => sum + board.mhs, 0);
  const idealMhs = round(body.expectedHs / 1e6, 2);
  return {
    boards,
    mhs: round(sumMhs, 2),
    averageMhs: round(sumMhs * body.averageFactor, 2),
    idealMhs,
    boardIdealMhs: round(idealMhs / boards.length, 2),
    fans: body.fansRpm,
    elapsedS: device.uptimeS(),
    pools: poolFacts(device),
    status: statusFacts(device),
    serial: serialOf('13HY24B056', 4, seed, device.index),
    powerSerial: serialOf('BC10FP104', 4, seed, device.index, 9),
    powerW: body.powerW,
    powerDeciC: Math.round((body.inletC + 6) * 10),
  };
}

export function elphapexTruth(device: SimDevice, model: ElphapexModel): Truth {
  const facts = elphapexFacts(device, model);
  const present = facts.boards.filter((board) => board.isPresent);
  const hottest = Math.max(...present.flatMap((board) => board.chipMilliC));
  return {
    ...whoIs(device, model),
    serial_number: facts.serial,
    firmware_version: model.version,
    hostname: device.settings.hostname,
    is_mining: device.settings.mode !== 'sleep' && facts.mhs > 0,
    mining_mode: device.settings.mode,
    hashrate: facts.mhs * 1e6,
    expected_hashrate: facts.idealMhs * 1e6,
    power: facts.powerW,
    temp: present.length === 0 ? null : hottest / 1_000,
    uptime: facts.elapsedS,
    hashboards: present.map((board) => ({
      serial_number: board.serial,
      hashrate: board.mhs * 1e6,
      chips: model.chipsPerBoard,
      // In a unit that is not known.
      chip_frequency: null,
    })),
    fans: turning(facts.fans),
    pools: uncounted(facts.pools.filter(({ url }) => url !== '')),
    psus: [{ serial_number: facts.powerSerial, temperature: facts.powerDeciC / 10 }],
    errors: facts.status
      .filter((entry) => entry.status !== 's')
      .map((entry) => ({ code: `${entry.type}:${entry.code}` })),
    light_on: device.settings.isLightOn,
  };
}

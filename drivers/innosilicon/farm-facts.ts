// The present state of a simulated Innosilicon in the numbers that its firmware prints. Both servers and the truth read
// these, so they agree.
import type { SimDevice } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { Truth } from '../_farm/truth.ts';
import { firstCounted, whoIs } from '../_farm/truth-parts.ts';
import type { InnosiliconModel } from './farm.data.ts';

type InnosiliconBoard = {
  readonly slot: number;
  readonly isDead: boolean;
  readonly hs: number;
  readonly activeChips: number;
  readonly minC: number;
  readonly maxC: number;
  readonly averageC: number;
  readonly hw: number;
};

export type InnosiliconFacts = {
  readonly boards: readonly InnosiliconBoard[];
  readonly hs: number;
  readonly mhsHs: number;
  readonly averageFactor: number;
  readonly powerW: number;
  readonly dutyPercent: number;
  /** `0` = none. It tells one at a time. */
  readonly errorCode: string;
};

export function innosiliconFacts(device: SimDevice, model: InnosiliconModel): InnosiliconFacts {
  const body = device.body();
  const boards = body.boards.map((board): InnosiliconBoard => {
    const isDead = board.isDead;
    return {
      slot: board.slot,
      isDead,
      // Whole thousands: nothing is lost where it prints millions with three digits.
      hs: round(board.hashrateHs / 1e3) * 1e3,
      activeChips: isDead ? 0 : model.chipsPerBoard,
      minC: isDead ? 0 : board.chipMinC,
      maxC: isDead ? 0 : board.chipMaxC,
      averageC: isDead ? 0 : board.chipAvgC,
      hw: board.hwErrors,
    };
  });
  return {
    boards,
    hs: boards.reduce((sum, { hs }) => sum + hs, 0),
    mhsHs: model.mhsHs,
    averageFactor: body.averageFactor,
    powerW: body.powerW,
    dutyPercent: body.isHashing ? 80 : 20,
    errorCode: errorCode(device),
  };
}

/** `vendor-error` takes a code, e.g. `33`. */
function errorCode(device: SimDevice): string {
  const code = device.faults.text('vendor-error', '33');
  if (code !== undefined) return code;
  if (device.faults.has('psu-fault')) return '35';
  return device.faults.has('pool-dead') ? '30' : '0';
}

export function innosiliconTruth(device: SimDevice, model: InnosiliconModel): Truth {
  const facts = innosiliconFacts(device, model);
  return {
    ...whoIs(device, model),
    serial_number: null,
    firmware_version: model.buildDate,
    hostname: device.settings.hostname,
    is_mining: facts.hs > 0,
    mining_mode: 'normal',
    hashrate: facts.hs,
    expected_hashrate: model.nameplateHs,
    power: facts.powerW,
    temp: Math.max(...facts.boards.map(({ maxC }) => maxC)),
    uptime: device.uptimeS(),
    // A chain without a chip that works cannot be told from an empty place.
    hashboards: facts.boards.flatMap((board) =>
      board.isDead ? [] : [{ serial_number: null, hashrate: board.hs, chips: board.activeChips, chip_frequency: null }],
    ),
    fans: Array.from({ length: model.fans }, (_, index) => ({ index, rpm: null })),
    pools: firstCounted(device),
    psus: [],
    errors: facts.errorCode === '0' ? [] : [{ code: facts.errorCode }],
    light_on: null,
  };
}

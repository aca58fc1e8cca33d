// The present state of a simulated Goldshell in the numbers that its firmware prints. Both servers and the truth read
// these, so they agree.
import type { SimDevice } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { Truth } from '../_farm/truth.ts';
import { firstCounted, whoIs } from '../_farm/truth-parts.ts';
import type { GoldshellModel } from './farm.data.ts';

type GoldshellBoard = {
  readonly slot: number;
  readonly isDead: boolean;
  readonly mhs: number;
  readonly averageMhs: number;
  readonly chips: number;
  readonly chipC: number;
  readonly boardC: number;
  readonly clockMhz: number;
  readonly hw: number;
};

export type GoldshellFacts = {
  readonly boards: readonly GoldshellBoard[];
  readonly fans: readonly number[];
  readonly level: number;
};

const LEVELS = { normal: 0, low: 1, sleep: 3, high: 0 } as const;

type Plan = { readonly level: number; readonly info: string };

export const plansOf = ({ frequencyMhz }: GoldshellModel): readonly Plan[] => [
  { level: 0, info: `${frequencyMhz} MHz 0.41 V 70 RPM 70 RPM` },
  { level: 1, info: `${Math.round(frequencyMhz * 0.8)} MHz 0.39 V 50 RPM 50 RPM` },
  { level: 3, info: '0 MHz 0 V 70 RPM 70 RPM' },
];

export function goldshellFacts(device: SimDevice, model: GoldshellModel): GoldshellFacts {
  const body = device.body();
  const { mode } = device.settings;
  const factor = mode === 'sleep' ? 0 : mode === 'low' ? 0.8 : 1;
  return {
    boards: body.boards.map((board): GoldshellBoard => {
      const mhs = round(board.hashrateHs / 1e6, 3);
      return {
        slot: board.slot,
        isDead: board.isDead,
        mhs,
        averageMhs: round(mhs * body.averageFactor, 3),
        chips: model.chipsOf[board.slot] ?? model.chipsPerBoard,
        chipC: board.isDead ? 0 : board.chipAvgC,
        boardC: board.isDead ? 0 : board.boardC,
        clockMhz: board.isDead ? 0 : Math.round(model.frequencyMhz * factor),
        hw: board.hwErrors,
      };
    }),
    fans: body.fansRpm,
    level: LEVELS[mode],
  };
}

export function goldshellTruth(device: SimDevice, model: GoldshellModel): Truth {
  const facts = goldshellFacts(device, model);
  const mhs = facts.boards.reduce((sum, board) => sum + board.mhs, 0);
  return {
    ...whoIs(device, model),
    // Behind a login that no client sends: its MAC, its plan, its lamp.
    mac: '',
    serial_number: null,
    firmware_version: model.firmware,
    hostname: null,
    is_mining: mhs > 0,
    mining_mode: null,
    hashrate: model.isDouble && mhs > 0 ? null : mhs * 1e6,
    expected_hashrate: null,
    power: null,
    temp: Math.max(...facts.boards.map(({ chipC }) => chipC)) || null,
    uptime: device.uptimeS(),
    hashboards: facts.boards.map((board) => ({
      serial_number: null,
      hashrate: board.mhs * 1e6,
      chips: board.chips,
      chip_frequency: board.clockMhz === 0 ? null : board.clockMhz,
    })),
    // A fan that stands still is missed only where the model says how many there are.
    fans: facts.fans.flatMap((rpm, index) => (model.isDouble && rpm === 0 ? [] : [{ index, rpm }])),
    pools: firstCounted(device),
    psus: [],
    errors: [],
    light_on: null,
  };
}

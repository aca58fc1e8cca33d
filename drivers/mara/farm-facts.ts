// The present state of a simulated miner with MARA firmware in the numbers that it prints. Its pages and the truth read
// these, so they agree.
import { type AntminerPool, poolFacts } from '../_farm/bitmain/facts.ts';
import type { SimDevice } from '../_farm/device.ts';
import { serialOf } from '../_farm/identity.ts';
import { round } from '../_farm/noise.ts';
import { sensorC } from '../_farm/physics.ts';
import type { Truth } from '../_farm/truth.ts';
import { turning, uncounted, whoIs } from '../_farm/truth-parts.ts';
import type { MaraModel } from './farm.data.ts';

type MaraBoard = {
  readonly slot: number;
  readonly isPresent: boolean;
  /** In the unit of the build. */
  readonly rate: number;
  readonly serial: string;
  readonly pcbC: readonly number[];
  readonly chipC: readonly number[];
};

export type MaraFacts = {
  readonly boards: readonly MaraBoard[];
  readonly rate: number;
  readonly averageRate: number;
  readonly idealGhs: number;
  readonly fans: readonly number[];
  readonly powerW: number;
  readonly elapsedS: number;
  readonly pools: readonly AntminerPool[];
  readonly isMining: boolean;
  /** `Degraded` and why, on builds that say so. */
  readonly trouble?: string;
};

const UNIT_HS = { TH: 1e12, GH: 1e9 } as const;
const DIGITS = { TH: 3, GH: 1 } as const;

/** A board that died stays in the list, without chips and sensors. */
export function maraFacts(device: SimDevice, model: MaraModel): MaraFacts {
  const body = device.body();
  const digits = DIGITS[model.unit];
  const boards = body.boards.map((board): MaraBoard => {
    const max = board.chipMaxC;
    return {
      slot: board.slot,
      isPresent: !board.isDead,
      rate: round(board.hashrateHs / UNIT_HS[model.unit], digits),
      serial: serialOf('SMTTYRHB', 3, device.site.seed, device.index, board.slot),
      pcbC: [14, 12].map((belowC) => sensorC(body.inletC, max, belowC)),
      chipC: [6, 0].map((belowC) => sensorC(body.inletC, max, belowC)),
    };
  });
  const sum = boards.reduce((total, board) => total + board.rate, 0);
  const rate = round(sum, digits);
  return {
    boards,
    rate,
    averageRate: round(sum * body.averageFactor, digits),
    idealGhs: round(body.expectedHs / 1e9, 1),
    fans: body.fansRpm,
    powerW: body.powerW,
    elapsedS: device.uptimeS(),
    pools: poolFacts(device),
    isMining: device.settings.mode !== 'sleep' && rate > 0,
    ...(model.unit === 'GH' && boards.some((board) => !board.isPresent) && { trouble: 'Hash board error' }),
  };
}

/**
 * What it works by when it is awake: `Stock`, `Fixed`, or the target that it is tuned to. The device keeps it as its
 * preset.
 */
type Working = 'Stock' | 'Fixed' | 'PowerTarget' | 'Hashrate';
export function workingOf({ settings: { preset } }: SimDevice): Working {
  return preset === 'Fixed' || preset === 'PowerTarget' || preset === 'Hashrate' ? preset : 'Stock';
}

/** At rest the clock idles. */
export const clockOf = (model: MaraModel, { isMining }: MaraFacts): number => (isMining ? model.frequencyMhz : 50);

function modeOf(device: SimDevice): string {
  if (device.settings.mode === 'sleep') return 'sleep';
  const working = workingOf(device);
  return working === 'PowerTarget' ? 'power_tuning' : working === 'Hashrate' ? 'hashrate_tuning' : 'normal';
}

export function maraTruth(device: SimDevice, model: MaraModel): Truth {
  const facts = maraFacts(device, model);
  const unitHs = UNIT_HS[model.unit];
  const present = facts.boards.filter((board) => board.isPresent);
  return {
    ...whoIs(device, model),
    serial_number: null,
    firmware_version: model.firmware,
    hostname: device.settings.hostname,
    is_mining: facts.isMining,
    mining_mode: modeOf(device),
    hashrate: facts.rate * unitHs,
    expected_hashrate: facts.idealGhs * 1e9,
    power: facts.powerW,
    temp: present.length === 0 ? null : Math.max(...present.flatMap((board) => board.chipC)),
    uptime: facts.elapsedS,
    hashboards: present.map((board) => ({
      serial_number: board.serial,
      hashrate: board.rate * unitHs,
      chips: model.chipsPerBoard,
      chip_frequency: model.unit === 'GH' ? clockOf(model, facts) : null,
    })),
    fans: turning(facts.fans),
    pools: uncounted(facts.pools.filter(({ url }) => url !== '')),
    psus: [],
    errors: facts.trouble === undefined ? [] : [{ code: 'indicator:Degraded' }],
    light_on: device.settings.isLightOn,
  };
}
